import { existsSync } from 'node:fs'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Screen } from '../terminal-screen.ts'
import { eventually, TiphysFolder } from '../tiphys-folder.ts'
import { TiphysProcess } from '../tiphys-process.ts'

// Several processes start one after the other, and a machine that does much else at once takes its time.
vi.setConfig({ testTimeout: 120_000 })

/** Gives a program a terminal of its own, and passes on what that shows. */
const IN_TERMINAL = ['bash', '-c', `exec script -qefc "stty cols 100; exec $(printf '%q ' "$@")" /dev/null`, 'bash']
const FLAGS = ['--port', '0', '--console-port', '0', '--runtime', 'simulated']

let folder: TiphysFolder
let running: TiphysProcess
beforeEach(async () => {
  folder = await TiphysFolder.make()
  await folder.tiphys('init', 'op')
})
afterEach(async () => {
  await running.signal('SIGKILL')
  await folder.remove()
})

const linesOf = (shown: string): string[] => {
  const screen = new Screen(100)
  screen.write(shown)
  return screen.lines
}
const screenShows = (what: RegExp) =>
  eventually(String(what), () => {
    const lines = linesOf(running.out)
    return lines.some(line => what.test(line)) ? lines : undefined
  })

const hasScript = existsSync('/usr/bin/script')
it.skipIf(!hasScript)(
  `tiphys up on a terminal tells what happens above a line that says how much that is${hasScript ? '' : ' (skipped: script is not installed)'}`,
  async () => {
    running = new TiphysProcess(['up', 'op', ...FLAGS], {
      cwd: folder.path,
      prefix: IN_TERMINAL,
      env: { npm_lifecycle_event: '' },
    })
    const begun = await screenShows(/^1 event · 0 runs · 0 failed · 0 parked {2}│ {2}http:/)
    expect(begun.at(-1)).toMatch(/^1 event/)
    const [places, next] = [
      begun.indexOf('tiphys is ready'),
      begun.findIndex(line => line.includes('tiphys events -f')),
    ]
    const event = begun.findIndex(line => line.includes('• event    greeting/greetings ADD Greeting default/world'))
    expect([places < next, next < event]).toEqual([true, true])

    const rbac = await folder.read('op/2-rbac.yaml')
    await folder.write({ 'op/2-rbac.yaml': rbac.replace('verbs: [get, create, patch]', 'verbs: [get]') })
    await screenShows(/✔ manifest Role greeting-operator changed$/)
    const ada = 'apiVersion: example.com/v1\nkind: Greeting\nmetadata: { name: ada }\nspec: { name: Ada }\n'
    await folder.write({ 'op/7-ada.yaml': ada })
    await screenShows(/✖ trigger +greeting\/config-map failed \(attempt 1\): .*cannot patch resource "configmaps"/)
    await screenShows(/^2 events · 0 runs · 0 failed · 1 parked/)
    await folder.write({ 'op/7-ada.yaml': ada.replace('name: Ada', 'nme: Ada') })
    await screenShows(/✖ manifest op\/7-ada\.yaml:4: Greeting ada: unknown field spec\.nme$/)

    const { pid } = JSON.parse(await folder.read('.tiphys/server.json')) as { pid: number }
    process.kill(pid, 'SIGINT')
    const { code, out } = await running.ended
    const left = linesOf(out)
    expect({ code, end: left.slice(-2) }).toEqual({ code: 0, end: ['stopping; everything is kept in .tiphys', ''] })
    // The line at the bottom was never printed: it is in nobody's way who scrolls back.
    expect(left.filter(line => line.includes('parked  │'))).toEqual([])
  },
)
