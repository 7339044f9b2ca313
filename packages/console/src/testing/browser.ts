import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'

export type { Browser, BrowserContext, Page } from 'playwright-core'

const CHROMIUM = '/usr/bin/chromium'

export const hasChromium: boolean = existsSync(CHROMIUM)

/** Debian's Chromium without a screen. Nothing of it goes anywhere but where a test sends it. */
export function openBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
      ...more,
    ],
  })
}

/** Everything a page complains about: its console, errors, refused policies. Requests that leave the origin count too. */
export function complaintsOf(page: Page, origin: string): string[] {
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', error => complaints.push(`thrown: ${error.message}`))
  page.on('request', request => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
      complaints.push(`request to ${request.url()}`)
  })
  return complaints
}

interface Violation {
  id: string
  impact: string
  nodes: readonly { target: readonly string[]; failureSummary: string }[]
}

/** The rules whose verdict colours decide; another scheme changes no other. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** What axe finds serious or critical, in words; of colours alone where everything else was looked at already. */
export async function seriousFindings(
  page: Page,
  { onlyColours = false }: { onlyColours?: boolean } = {},
): Promise<string[]> {
  // The page's own policy lets no other script in: the debugger's door is used.
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: `window.axe ?? (() => { ${axe.source} })()` })
  // Of WCAG 2.2, and not looked at unless it is asked for.
  const rules = { 'target-size': { enabled: true } }
  const options = { resultTypes: ['violations'], ...(onlyColours ? { runOnly: COLOUR_RULES } : { rules }) }
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, ${JSON.stringify(options)}).then(r => JSON.stringify(r.violations.map(v => ({ id: v.id, impact: v.impact, nodes: v.nodes.slice(0, 4).map(n => ({ target: n.target, failureSummary: n.failureSummary })) }))))`,
    awaitPromise: true,
    returnByValue: true,
  })
  await session.detach()
  const violations = JSON.parse(String(result.value)) as Violation[]
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, impact, nodes }) =>
        `${id} (${impact}): ${nodes.map(node => `${node.target.join(' ')} ${node.failureSummary}`).join(' | ')}`,
    )
}
