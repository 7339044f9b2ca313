import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { PodRuntime } from '../pod-runtime.ts'
import { detectProcessRuntime } from './detection.ts'
import { createProcessRuntime } from './process-runtime.ts'
import { type BundledRuntime, bundleRuntime } from './testing/bundled-runtime.ts'
import { type TrialPod, trialPod } from './testing/trial-pod.ts'

const support = await detectProcessRuntime()

/** What an `exec` runs to become the program, wherever a shell looks for it. */
const SET_UP = ['sh', 'env', 'setpriv', 'chroot', 'nsenter', 'unshare', 'script', 'mkdir', 'mount', 'umount']
const FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin']
const SYS_ADMIN = 1n << 21n

describe.runIf(support.isolation === 'root')('a container whose root is an attacker', () => {
  let bundle: BundledRuntime
  let runtime: PodRuntime
  let files: string
  let pod: TrialPod

  beforeAll(async () => {
    bundle = await bundleRuntime()
    files = mkdtempSync('/var/tmp/tiphys-hostile-')
    mkdirSync(join(files, 'told'))
    runtime = await createProcessRuntime({
      supervisorProgram: bundle.supervisorProgram,
      support,
      maskedPaths: [],
      dialApi: () => Promise.reject(new Error('there is no API')),
    })
    pod = await trialPod(runtime)
  })
  afterAll(async () => {
    await pod?.sandbox.remove()
    await runtime?.close()
    bundle?.remove()
    rmSync(files, { recursive: true, force: true })
  })

  const told = (name: string) => {
    try {
      return readFileSync(join(files, 'told', name), 'utf8')
        .split('\n')
        .filter(Boolean)
    } catch {
      return []
    }
  }

  test('gains nothing from what others execute in it', async () => {
    const trophy = join(files, 'trophy')
    const attack = `#!/evil/sh
PATH=/evil
grep CapEff /proc/self/status >>/told/capabilities
mount -t tmpfs tmpfs /mnt && echo mounted >>/told/won
mknod /evil/disk b 254 0 && echo made a device >>/told/won
mkdir -p /evil/jail
perl -e 'chroot "/evil/jail"; chdir ".." for 1..64; chroot "."; open my $file, ">", "${trophy}"'
exit 0`
    // While programs are executed it tries all the time to get through their processes to the machine.
    const occupy = `mkdir /evil
for tool in sh grep mount mknod mkdir perl; do cp -L "$(command -v $tool)" /evil/ || exit 9; done
cat >/evil/attack <<'END'
${attack}
END
chmod +x /evil/attack
for folder in ${FOLDERS.join(' ')}; do for tool in ${SET_UP.join(' ')}; do
  /evil/mkdir -p $folder; echo $folder/$tool
done; done >/evil/places
while read -r place; do ln -sf /evil/attack $place; done </evil/places
echo ready
while :; do for process in /proc/[0-9]*; do { echo x >$process/root${trophy}.through; } 2>/dev/null; done; done`
    const mounts = [{ source: join(files, 'told'), target: '/told', readOnly: false }]
    const { container, stdout, stderr } = await pod.start(occupy, { mounts })
    await vi.waitFor(() => expect(stdout() + stderr()).toBe('ready\n'), 20_000)
    for (let attempt = 0; attempt < 12; attempt++) {
      const starting = container.exec({ argv: ['true'], stdin: false, tty: attempt % 3 === 0, output: () => {} })
      // Whether the program runs is up to the attacker by now.
      await starting.then(({ exited }) => exited).catch(() => {})
    }
    const sets = told('capabilities').map(line => BigInt(`0x${line.replace(/^CapEff:\s+/, '')}`))
    expect(sets.length).toBeGreaterThan(0)
    expect(sets.filter(set => (set & SYS_ADMIN) !== 0n)).toEqual([])
    expect(told('won')).toEqual([])
    for (const path of [trophy, `${trophy}.through`]) expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined()
  })

  test('cannot bring the tools of its own set-up in a volume', async () => {
    mkdirSync(join(files, 'tools'))
    writeFileSync(join(files, 'tools/setpriv'), `#!/bin/sh\necho x >/told/ran\n`, { mode: 0o755 })
    const source = join(files, 'tools')
    for (const target of ['/usr/bin', '/usr/local/bin', '/bin', '/etc', '/usr']) {
      const { startError } = await pod.run('true', { mounts: [{ source, target, readOnly: false }] })
      expect(startError).toContain(`a volume at ${target} would decide what root runs on this machine`)
    }
    expect(told('ran')).toEqual([])
    const beside = await pod.run('ls /opt/tools', { mounts: [{ source, target: '/opt/tools', readOnly: true }] })
    expect(beside.stdout).toBe('setpriv\n')
  })

  test('is what a program executed in it sees: its mounts, its user, its privileges', async () => {
    const seen = async (config: Parameters<TrialPod['start']>[1]) => {
      const { container } = await pod.start('exec sleep 100', config)
      let text = ''
      const script =
        'id -u; id -g; id -G; grep -E "CapEff|NoNewPrivs" /proc/self/status; grep -c " /proc " /proc/mounts'
      const output = (_: string, chunk: Uint8Array) => void (text += Buffer.from(chunk).toString())
      const session = await container.exec({ argv: ['sh', '-c', script], stdin: false, tty: false, output })
      await session.exited
      await container.kill('SIGKILL')
      return text.replace(/\s+/g, ' ').trim()
    }
    expect(await seen({})).toBe('0 0 0 CapEff: 00000000a00425fb NoNewPrivs: 0 1')
    const other = { runAsUser: 4321, runAsGroup: 1234, supplementalGroups: [7, 8], allowPrivilegeEscalation: false }
    expect(await seen(other)).toBe('4321 1234 1234 7 8 CapEff: 0000000000000000 NoNewPrivs: 1 1')
    expect(await seen({ capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] } })).toBe(
      '0 0 0 CapEff: 0000000000001000 NoNewPrivs: 0 1',
    )
  })
})
