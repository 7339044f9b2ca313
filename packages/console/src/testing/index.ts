export { buildAssets } from './assets.ts'
export {
  type Browser,
  type BrowserContext,
  complaintsOf,
  hasChromium,
  openBrowser,
  type Page,
  seriousFindings,
} from './browser.ts'
export { HOSTILE, idOf, STORY, type StoryRecord, story } from './story.ts'
