import { readFile, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { type AddressInfo, createServer, connect as dial } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { noKubectl } from '../kubectl-process.ts'
import { whyMissing, whyNoNamespaces } from '../machine.ts'
import { isReady, TestCluster } from '../test-cluster.ts'

const obstacle =
  noKubectl || whyNoNamespaces() || whyMissing('memcached', 'redis-server', 'nginx', 'psql', 'curl', 'script', 'bash')

/** The machine may be busy with other tests. */
vi.setConfig({ testTimeout: 90_000 })

describe.skipIf(obstacle)(`real programs as pods${obstacle}`, () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await TestCluster.start([], { env: { TIPHYS_TEST_SECRET: 'of the machine' } })
    await cluster.apply(await readFile(new URL('testing/programs.yaml', import.meta.url), 'utf8'))
    await Promise.all([
      ...['memcached', 'redis', 'nginx'].map(name => cluster.kubectl('rollout', 'status', `deployment/${name}`)),
      cluster.kubectl('rollout', 'status', 'statefulset/postgres'),
      cluster.untilPod('client', isReady),
    ])
  })
  afterAll(() => cluster?.close())

  const inClient = (script: string) => cluster.run('client', 'bash', '-c', script)
  const nodePortOf = async (service: string) =>
    Number(await cluster.kubectl('get', 'service', service, '-o', 'jsonpath={.spec.ports[0].nodePort}'))
  const postgres = (query: string) =>
    inClient(`PGPASSWORD=s3cret psql -h postgres-0.postgres -U postgres -Atc ${JSON.stringify(query)}`)

  it('three memcached listen on one port, and their Service leads to each of them', async () => {
    const ips = await cluster.kubectl('get', 'pod', '-l', 'app=memcached', '-o', 'jsonpath={.items[*].status.podIP}')
    const script = `
      ask() { exec 3<>/dev/tcp/$1/11211; printf "$2\\r\\nquit\\r\\n" >&3; cat <&3; }
      for ip in ${ips}; do ask $ip "set me 0 0 \${#ip}\\r\\n$ip"; done >/dev/null
      for try in {1..60}; do ask memcached "get me"; done | grep ^10 | sort -u`
    const seen = (await inClient(script)).split('\r\n').filter(Boolean)
    expect(seen.map(line => line.trim())).toEqual(ips.split(' ').toSorted())
  })

  it('redis is reached by its name, by a node port and by port-forward', async () => {
    expect(await inClient('redis-cli -h redis.default.svc.cluster.local set greeting hello')).toBe('OK\n')
    expect(await inClient('redis-cli -h redis get greeting')).toBe('hello\n')
    expect(await ask(await nodePortOf('redis'), 'GET greeting\r\nQUIT\r\n')).toBe('$5\r\nhello\r\n+OK\r\n')
    const forward = cluster.follow(['port-forward', 'service/redis', ':6379'])
    await forward.shows('Forwarding from 127.0.0.1')
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(forward.out)?.[1])
    expect(await ask(port, 'GET greeting\r\nQUIT\r\n')).toBe('$5\r\nhello\r\n+OK\r\n')
    await forward.stop()
  })

  it('PostgreSQL takes its password from a Secret and keeps its data when its pod is replaced', async () => {
    await postgres('create table kept as select 42 as answer')
    await expect(inClient('PGPASSWORD=wrong psql -h postgres -U postgres -Atc "select 1"')).rejects.toThrow(
      'password authentication failed',
    )
    const { metadata } = await cluster.untilPod('postgres-0', isReady)
    await cluster.kubectl('delete', 'pod', 'postgres-0', '--wait=false')
    await cluster.untilPod('postgres-0', pod => pod.metadata.uid !== metadata.uid && isReady(pod))
    expect(await postgres('select answer from kept')).toBe('42\n')
  })

  it('nginx serves a ConfigMap to pods, to the machine and through the API', async () => {
    const page = 'hello from a ConfigMap\n'
    expect(await inClient('curl -s http://nginx/')).toBe(page)
    expect(await inClient('curl -s http://nginx.default.svc.cluster.local/')).toBe(page)
    expect(await fetchText(`http://127.0.0.1:${await nodePortOf('nginx')}/`)).toBe(page)
    const pod = await cluster.kubectl('get', 'pod', '-l', 'app=nginx', '-o', 'jsonpath={.items[0].metadata.name}')
    for (const path of ['services/nginx:80', 'services/nginx:http', `pods/${pod}:80`, `pods/${pod}`]) {
      expect(await cluster.kubectl('get', '--raw', `/api/v1/namespaces/default/${path}/proxy/`)).toBe(page)
    }
  })

  it('a host port leads to its pod from this machine, as soon as nobody else has it', async () => {
    const other = createServer()
    const port = await new Promise<number>(resolve =>
      other.listen(0, '127.0.0.1', () => resolve((other.address() as AddressInfo).port)),
    )
    await cluster.apply(`
apiVersion: v1
kind: Pod
metadata: { name: front }
spec:
  containers:
    - name: nginx
      image: nginx:1.29
      ports: [{ containerPort: 80, hostPort: ${port} }]
      readinessProbe: { httpGet: { path: /, port: 80 }, periodSeconds: 1 }
      volumeMounts: [{ name: pages, mountPath: /usr/share/nginx/html }]
  volumes: [{ name: pages, configMap: { name: pages } }]`)
    expect((await cluster.untilEvent('front', 'HostPortTaken')).message).toContain(String(port))
    await cluster.untilPod('front', isReady)
    await new Promise(resolve => other.close(resolve))
    await cluster.kubectl('label', 'pod', 'front', 'try=again')
    const page = () => fetchText(`http://127.0.0.1:${port}/`)
    await vi.waitFor(async () => expect(await page()).toBe('hello from a ConfigMap\n'), { timeout: 30_000 })
    await cluster.kubectl('delete', 'pod', 'front', '--grace-period=1')
    await vi.waitFor(() => expect(page()).rejects.toThrow('ECONNREFUSED'), { timeout: 30_000 })
  })

  it('a pod asks the API as its ServiceAccount, which may do what RBAC allows it', async () => {
    const api = (path: string) =>
      inClient(`cd /var/run/secrets/kubernetes.io/serviceaccount
        curl -s --cacert ca.crt -H "Authorization: Bearer $(cat token)" https://kubernetes.default.svc${path}`)
    const pods = '/api/v1/namespaces/default/pods?limit=1'
    expect(JSON.parse(await api(pods))).toMatchObject({
      code: 403,
      message: expect.stringContaining('User "system:serviceaccount:default:default" cannot list resource "pods"'),
    })
    await cluster.kubectl('create', 'rolebinding', 'view', '--clusterrole=view', '--serviceaccount=default:default')
    await expect.poll(async () => JSON.parse(await api(pods)).kind, { timeout: 15_000 }).toBe('PodList')
    expect(JSON.parse(await api('/api/v1/namespaces/default/secrets'))).toMatchObject({ code: 403 })
  })

  it('shows a pod nothing of Tiphys: not its environment, its processes, its data, its credentials', async () => {
    const environment = await inClient('cat /proc/*/environ | tr "\\0" "\\n"')
    expect(environment).toContain('KUBERNETES_SERVICE_HOST=10.96.0.1\n')
    expect(environment).not.toContain('TIPHYS')
    expect(environment).not.toMatch(/^(USER|LOGNAME|OLDPWD|NODE_\w+)=/m)
    expect(await inClient('cat /proc/[0-9]*/cmdline | tr "\\0" " "')).not.toContain('tiphys')
    await writeFile(`${cluster.folder}/beside`, 'seen')
    expect(await inClient(`cat ${cluster.folder}/beside; ls -A ${cluster.folder}/.tiphys 2>/dev/null | cat`)).toBe(
      'seen',
    )
  })

  it('keeps what a container writes from the machine', async () => {
    const place = `${cluster.folder}/written`
    await inClient(`mkdir -p ${cluster.folder}; echo a >${place}; echo b >/etc/tiphys-test; rm /etc/passwd`)
    expect(await inClient(`cat ${place} /etc/tiphys-test`)).toBe('a\nb\n')
    await expect(readFile(place)).rejects.toThrow('ENOENT')
    await expect(readFile('/etc/tiphys-test')).rejects.toThrow('ENOENT')
    expect(await readFile('/etc/passwd', 'utf8')).toContain('root')
  })

  it('gives a pod a folder of the machine when it asks for one, of the type it asks for', async () => {
    await cluster.apply(hostPathPod('writer', cluster.folder, 'Directory', 'echo from a pod >/machine/from-pod'))
    await cluster.untilPod('writer', pod => pod.status?.phase === 'Succeeded')
    expect(await readFile(`${cluster.folder}/from-pod`, 'utf8')).toBe('from a pod\n')
    await cluster.apply(hostPathPod('strict', `${cluster.folder}/from-pod`, 'Directory', 'true'))
    const { message } = await cluster.untilEvent('strict', 'FailedMount')
    expect(message).toBe(
      `MountVolume.SetUp failed for volume "machine" : hostPath type check failed: ${cluster.folder}/from-pod is not a directory`,
    )
    await cluster.kubectl('delete', 'pod', 'strict', 'writer', '--now')
  })

  it('runs init containers, sidecars and hooks around a container, on a volume that goes with the pod', async () => {
    await cluster.apply(`
apiVersion: v1
kind: Pod
metadata: { name: staged }
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 1
  initContainers:
    - name: first
      image: busybox
      command: [sh, -c, 'echo first >>/shared/story']
      volumeMounts: [{ name: shared, mountPath: /shared }]
    - name: beside
      image: busybox
      restartPolicy: Always
      command: [sh, -c, 'echo beside >>/shared/story; touch /tmp/up; exec sleep infinity']
      startupProbe: { exec: { command: [test, -e, /tmp/up] }, periodSeconds: 1 }
      volumeMounts: [{ name: shared, mountPath: /shared }]
  containers:
    - name: main
      image: busybox
      command: [sh, -c, 'echo main >>/shared/story; until grep -q hook /shared/story; do sleep 0.05; done; cat /shared/story']
      lifecycle: { postStart: { exec: { command: [sh, -c, 'echo hook >>/shared/story'] } } }
      volumeMounts: [{ name: shared, mountPath: /shared }]
  volumes:
    - name: shared
      ephemeral:
        volumeClaimTemplate: { spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Mi } } } }`)
    await cluster.untilPod('staged', ({ status }) => status?.phase === 'Succeeded')
    expect((await cluster.kubectl('logs', 'staged')).split('\n').slice(0, 2)).toEqual(['first', 'beside'])
    expect(
      await cluster.kubectl('get', 'persistentvolumeclaim', 'staged-shared', '-o', 'jsonpath={.status.phase}'),
    ).toBe('Bound')
    await cluster.kubectl('delete', 'pod', 'staged')
    await cluster.kubectl('wait', '--for=delete', 'persistentvolumeclaim/staged-shared')
  })

  describe('kubectl', () => {
    it('logs: follows, and shows the end, the run before and the time', async () => {
      await cluster.apply(shellPod('talker', 'echo one; echo two; read line; echo $line; exit 3', 'stdin: true'))
      await cluster.untilPod('talker', isReady)
      const follow = cluster.follow(['logs', '-f', 'talker'])
      await follow.shows('one\ntwo\n')
      expect(await cluster.kubectl('logs', 'talker', '--tail=1')).toBe('two\n')
      expect(await cluster.kubectl('logs', 'talker', '--timestamps', '--tail=1')).toMatch(
        /^20\d\d-\d\d-\d\dT\S+Z two\n$/,
      )
      const attached = cluster.follow(['attach', '-i', 'talker'], { input: 'three\n' })
      expect((await follow.ended).out).toBe('one\ntwo\nthree\n')
      await attached.ended
      await cluster.untilPod('talker', ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1)
      expect(await cluster.kubectl('logs', 'talker', '--previous')).toBe('one\ntwo\nthree\n')
      await cluster.kubectl('delete', 'pod', 'talker', '--now')
    })

    it('exec: passes input, output, errors and the exit code', async () => {
      const run = cluster.follow(
        ['exec', '-i', 'client', '-c', 'main', '--', 'sh', '-c', 'cat; echo bad >&2; exit 7'],
        {
          input: 'in',
        },
      )
      expect(await run.ended).toEqual({ code: 7, out: 'in', err: expect.stringMatching(/^bad\n/) })
    })

    it('exec -it: a terminal of the size of the one it is run in', async () => {
      const run = cluster.follow(
        ['exec', '-it', 'client', '--', 'bash', '-c', `tty; ${UNTIL_SIZED}; stty size; read x; echo "<$x>"`],
        {
          tty: true,
        },
      )
      await run.shows('40 100')
      run.type('typed\r')
      const { out } = await run.ended
      expect(out).toContain('/dev/pts/0')
      expect(out).toContain('<typed>')
    })

    it('attach: several in turn speak to a container that goes on', async () => {
      for (const word of ['one', 'two']) {
        const attached = cluster.follow(['attach', '-i', 'client', '-c', 'shell'])
        attached.type(`${word}\n`)
        await attached.shows(`heard ${word}\n`)
        await attached.stop()
      }
      const { status } = await cluster.untilPod('client', isReady)
      expect(status?.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([0, 0])
      expect(await cluster.kubectl('logs', 'client', '-c', 'shell')).toBe('heard one\nheard two\n')
    })

    it('cp: in both directions, files and folders', async () => {
      const bytes = Buffer.alloc(300_000, 'bytes ')
      await writeFile(`${cluster.folder}/sent`, bytes)
      await inClient('mkdir -p /tmp/folder')
      await cluster.kubectl('cp', 'sent', 'client:/tmp/folder/received', '-c', 'main')
      await cluster.kubectl('cp', 'client:/tmp/folder', 'back', '-c', 'main')
      expect((await readFile(`${cluster.folder}/back/received`)).equals(bytes)).toBe(true)
    })

    it('rollout, scale and wait', async () => {
      await cluster.kubectl('set', 'image', 'deployment/nginx', 'nginx=nginx:1.30')
      await cluster.kubectl('rollout', 'status', 'deployment/nginx')
      await cluster.kubectl('rollout', 'undo', 'deployment/nginx')
      await cluster.kubectl('rollout', 'status', 'deployment/nginx')
      expect(await cluster.kubectl('get', 'deployment', 'nginx', '-o', 'jsonpath={..image}')).toBe('nginx:1.29')
      await cluster.kubectl('scale', 'deployment/memcached', '--replicas=1')
      await cluster.kubectl('wait', '--for=jsonpath={.status.replicas}=1', 'deployment/memcached')
    })

    it('delete: with what it owns, before it, or leaving it', async () => {
      const replicaSets = async () => (await cluster.kubectl('get', 'replicaset', '-o', 'name')).trim()
      await cluster.kubectl('create', 'deployment', 'left', '--image=pause')
      await cluster.kubectl('rollout', 'status', 'deployment/left')
      await cluster.kubectl('delete', 'deployment', 'left', '--cascade=orphan')
      expect(await replicaSets()).toContain('replicaset.apps/left-')
      await cluster.kubectl('delete', 'replicaset', '-l', 'app=left', '--cascade=foreground')
      expect(await cluster.kubectl('get', 'pod', '-l', 'app=left', '-o', 'name')).toBe('')
      await cluster.kubectl('delete', 'deployment', 'redis', '--cascade=background')
      await cluster.kubectl('wait', '--for=delete', 'pod', '-l', 'app=redis')
    })

    it('run: a pod for one command', async () => {
      const run = ['run', 'once', '--rm', '-i', '--restart=Never', '--image=busybox', '--']
      expect(await cluster.kubectl(...run, 'echo', 'from a pod')).toContain('from a pod\n')
    })
  })
})

/** The size comes after the terminal. */
const UNTIL_SIZED = 'until [ "$(stty size)" = "40 100" ]; do sleep 0.05; done'

const shellPod = (name: string, script: string, more = '') => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  containers:
    - name: main
      image: busybox
      command: [sh, -c, ${JSON.stringify(script)}]
      ${more}`

const hostPathPod = (name: string, path: string, type: string, script: string) => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  restartPolicy: Never
  containers:
    - name: main
      image: busybox
      command: [sh, -c, ${JSON.stringify(script)}]
      volumeMounts: [{ name: machine, mountPath: /machine }]
  volumes: [{ name: machine, hostPath: { path: ${path}, type: ${type} } }]`

async function ask(port: number, question: string): Promise<string> {
  const socket = dial(port, '127.0.0.1')
  socket.write(question)
  return text(socket)
}

const fetchText = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    get(url, response => resolve(text(response))).once('error', reject)
  })
