import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { runTiphys } from '../tiphys-process.ts'

const script = async (shell: string) => (await runTiphys(['completion', shell])).out

/** What bash offers for a line that ends where the cursor is. */
async function offers(line: string): Promise<string[]> {
  const words = line.split(' ')
  const program = `${await script('bash')}
COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_tiphys
printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['--norc', '-c', program], { encoding: 'utf8', cwd: import.meta.dirname })
    .trim()
    .split('\n')
    .filter(word => word !== '')
}

it('offers commands', async () => {
  expect(await offers('tiphys c')).toEqual(['cluster', 'completion'])
  expect(await offers('tiphys clu')).toEqual(['cluster'])
})

it('offers the flags of the command', async () => {
  expect(await offers('tiphys cluster --ku')).toEqual(['--kubeconfig-out'])
  expect(await offers('tiphys cluster --memory --v')).toEqual(['--verbose'])
})

it('offers files where a flag wants one', async () => {
  expect(await offers('tiphys cluster --kubeconfig-out completion.te')).toEqual(['completion.test.ts'])
})

it('offers what a flag takes where that is a short list', async () => {
  expect(await offers('tiphys up --runtime ')).toEqual(['auto', 'process', 'docker', 'simulated'])
  expect(await offers('tiphys up --runtime s')).toEqual(['simulated'])
})

it('leaves files and folders to the shell where nothing else fits', async () => {
  expect(await offers('tiphys up my-op')).toEqual([])
  expect(await script('bash')).toMatch(/^complete -o default -F _tiphys tiphys$/m)
})

it('offers what a command takes', async () => {
  expect(await offers('tiphys completion z')).toEqual(['zsh'])
  expect(await offers('tiphys help comp')).toEqual(['completion'])
  expect(await offers('tiphys get r')).toEqual(['run'])
})

it('speaks zsh through its bash compatibility', async () => {
  expect(await script('zsh')).toMatch(/^#compdef tiphys\nautoload -U \+X bashcompinit && bashcompinit\n_tiphys\(\)/)
})

it('tells fish every command and flag', async () => {
  const fish = await script('fish')
  expect(fish).toContain('complete -c tiphys -f -n __fish_use_subcommand -a cluster -d ')
  expect(fish).toMatch(/__fish_seen_subcommand_from cluster' -l kubeconfig-out -r -d /)
  expect(fish).toMatch(/__fish_seen_subcommand_from up' -l runtime -r -f -a 'auto process docker simulated' -d /)
  expect(fish).toMatch(/__fish_seen_subcommand_from events' -l follow -s f -d /)
  expect(fish).toMatch(/__fish_seen_subcommand_from get' -f -a 'run'/)
  expect(fish).toMatch(/__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'/)
})
