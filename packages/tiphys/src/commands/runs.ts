import { systemClock } from '@tiphys/env'
import type { RunCommand } from '../command.ts'
import { formatDuration, objectName, runName } from '../session/activity.ts'
import { Instance } from '../session/instance.ts'
import { limitOf, moreRows, noRows, timeAgo } from '../session/listing.ts'
import { dim } from '../terminal.ts'
import { printTable } from '../text-table.ts'

/** `tiphys runs [QUERY…]` */
export const run: RunCommand = invocation =>
  Instance.use(invocation, async instance => {
    const { operands, flags, terminal } = invocation
    const { out } = terminal
    const query = operands.join(' ')
    const history = await instance.history()
    const page = await history.runs({ query }, { limit: limitOf(flags, 30) })
    const { items } = page
    if (flags.json === true) {
      for (const { cursor: _, ...run } of items) out.print(JSON.stringify(run))
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
      (message ?? '').replaceAll(/\s+/g, ' ').slice(0, 60),
    ])
    printTable(out, ['NAME', 'PHASE', 'PROGRESS', 'TOOK', 'AGE', 'TEMPLATE', 'OBJECT', 'MESSAGE'], rows)
    const more = moreRows(page)
    if (more !== undefined) out.print(dim(out, more))
    return 0
  })
