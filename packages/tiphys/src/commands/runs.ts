import { systemClock } from '@tiphys/env'
import type { RunCommand } from '../command.ts'
import { formatDuration, objectName, runName } from '../session/activity.ts'
import { Instance } from '../session/instance.ts'
import { limitOf, moreRows, noRows, queryOf, timeAgo } from '../session/listing.ts'
import { hasEnded } from '../session/run-tree.ts'
import { cutTo, dim } from '../terminal.ts'
import { printTable } from '../text-table.ts'

/** `tiphys runs [QUERY…]` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { flags, terminal } = invocation
    const { out } = terminal
    const query = queryOf(invocation)
    const history = await instance.history()
    const limit = limitOf(flags, 30)
    const page = await history.runs({ query }, { limit })
    const { items } = page
    const more = moreRows(page, limit)
    if (!instance.running && items.some(({ phase }) => !hasEnded(phase)))
      terminal.err.print(`note: nothing runs on ${instance.folder.path}: what is under way goes no further than this`)
    if (flags.json === true) {
      for (const { cursor: _, ...run } of items) out.print(JSON.stringify(run))
      if (more !== undefined) terminal.err.print(`note: ${more}`)
      return 0
    }
    if (items.length === 0) {
      out.print(noRows(query === '' ? 'There are no runs yet.' : 'No run is like that.', page))
      return 0
    }
    const now = systemClock.now()
    const rows = items.map(({ run, at, phase, progress, startedAt, finishedAt, template, object, message }) => [
      runName(run),
      phase,
      progress ?? '',
      startedAt === undefined ? '' : formatDuration((finishedAt ?? now) - startedAt),
      timeAgo(at, now),
      template ?? '',
      object ? objectName(object) : '',
      cutTo((message ?? '').replaceAll(/[\s\p{Cc}]+/gu, ' '), 60),
    ])
    printTable(out, ['NAME', 'PHASE', 'PROGRESS', 'TOOK', 'AGE', 'TEMPLATE', 'OBJECT', 'MESSAGE'], rows, {
      whole: 'NAME',
    })
    if (more !== undefined) out.print(dim(out, more))
    return 0
  })
