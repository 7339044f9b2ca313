import { readFileSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { eventId } from '../event-id.ts'
import { pause, publishUntilTaken, runSource } from './running-source.ts'
import { problemsOf, type Shape } from './shape.ts'
import type { SourceType } from './source.ts'
import { SourceStage } from './source-stage.ts'

// The example of the guide begins.
const SHAPE: Shape = { message: 'string', metadata: { '*': 'string' }, filter: { expression: 'string' } }

export const minuteSource: SourceType<{ message?: string }> = {
  type: 'minute',
  check: spec => problemsOf(spec, SHAPE),
  start: ({ message = '' }, host) =>
    runSource(
      host,
      ({ message }) => ({ reason: 'Failed', message }),
      async stopped => {
        host.report({ state: 'active' })
        while (!stopped.aborted) {
          await pause(host, 60_000, stopped)
          const time = new Date(host.env.clock.now()).toISOString()
          const { eventSource, entry } = host
          // The same minute is the same event, also when it is found again after a crash.
          const id = eventId(eventSource.uid, entry, time.slice(0, 16))
          await publishUntilTaken(host, { id, time, data: JSON.stringify({ message }) }, stopped)
        }
      },
    ),
}
// The example of the guide ends.

const stage = new SourceStage()
afterEach(() => stage.close())

it('the source in the guide is this one, and works', async () => {
  const here = readFileSync(new URL(import.meta.url), 'utf8')
  const [, code = ''] = /begins\.\n(.*?)\/\/ The example of the guide ends/s.exec(here) ?? []
  const guide = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8')
  expect(guide).toContain(`\`\`\`ts\n${code}\`\`\``)
  stage.start(minuteSource, { message: 'hello' })
  await stage.clock.advance(150_000)
  await stage.stop()
  expect(stage.data).toEqual([{ message: 'hello' }, { message: 'hello' }])
  expect(minuteSource.check({ mesage: 'x' } as object)).toHaveLength(1)
})
