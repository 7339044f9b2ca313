import { formatRatio, short, type Table, type TableLine } from './table.ts'

const WIDTH = 880
const MARGIN = 16
const TOP = 44
const ROW = 62
const BAR = 13
const BARS = { from: MARGIN, width: 440 }
const RATIO_AT = 610

/** Both sides of every compared line as bars, each pair to its own scale, with the ratio and what was promised. Follows the
 *  reader's light or dark mode; needs nothing but itself. */
export function plot(title: string, { heads, lines }: Table): string {
  const compared = lines.filter(({ peer, ratio }) => peer !== undefined && ratio)
  const height = TOP + compared.length * ROW + MARGIN
  const rows = compared.map((line, i) => rowOf(line, TOP + i * ROW, heads.ratio)).join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escape(title)}">
<title>${escape(title)}</title>
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 15px; font-weight: 600 }
.small { font-size: 12px; fill: #59636e }
.ours { fill: #0b6e99 } .peer { fill: #b6bfc9 }
.yes { fill: #1a7f37; font-weight: 600 } .no { fill: #c4320a; font-weight: 600 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .small { fill: #9198a1 }
  .ours { fill: #4fb3dc } .peer { fill: #59636e }
  .yes { fill: #4ac26b } .no { fill: #ff8f70 }
}
</style>
<text class="title" x="${MARGIN}" y="24">${escape(title)}</text>
${legend(heads.peer)}
${rows}</svg>
`
}

function legend(peer: string): string {
  const y = 13
  return [
    `<rect class="ours" x="${RATIO_AT}" y="${y}" width="12" height="12" rx="2"/>`,
    `<text class="small" x="${RATIO_AT + 18}" y="${y + 11}">Tiphys</text>`,
    `<rect class="peer" x="${RATIO_AT + 76}" y="${y}" width="12" height="12" rx="2"/>`,
    `<text class="small" x="${RATIO_AT + 94}" y="${y + 11}">${escape(peer)}</text>`,
  ].join('')
}

function rowOf({ what, unit, ours, peer = 0, ratio, bar, met }: TableLine, top: number, ratioName: string): string {
  const most = Math.max(ours, peer)
  const bars = [
    ['ours', ours],
    ['peer', peer],
  ] as const
  const drawn = bars.map(([side, value], i) => {
    const y = top + 22 + i * (BAR + 3)
    const width = Math.max(1, Math.round((value / most) * BARS.width))
    return (
      `<rect class="${side}" x="${BARS.from}" y="${y}" width="${width}" height="${BAR}" rx="2"/>` +
      `<text class="small" x="${BARS.from + width + 6}" y="${y + BAR - 2}">${short(value)} ${escape(unit)}</text>`
    )
  })
  const better = unit === '/s' ? 'more is better' : 'less is better'
  const verdict =
    met === undefined ? '' : `<tspan class="${met ? 'yes' : 'no'}"> ${met ? '✔' : '✖'} ${escape(bar)}</tspan>`
  return `<g>
<text x="${MARGIN}" y="${top + 14}">${escape(what.replaceAll('`', ''))}<tspan class="small" dx="8">${better}</tspan></text>
${drawn.join('\n')}
<text x="${RATIO_AT}" y="${top + 34}">${ratio ? escape(formatRatio(ratio)) : ''}${verdict}</text>
<text class="small" x="${RATIO_AT}" y="${top + 50}">${escape(ratioName)}</text>
</g>
`
}

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
