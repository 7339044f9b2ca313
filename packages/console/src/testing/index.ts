export {
  fireLine,
  listLine,
  replayLine,
  resumeLine,
  retryParkedLine,
  runLine,
  submitLine,
} from '../app/command-line.ts'
export { type ApiDocument, readApiDocument } from './api-document.ts'
export { ARTIFACT_RUN, artifactStory, OTHER_ARTIFACT_RUN, STORED_ARTIFACTS } from './artifact-story.ts'
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
export { story } from './story.ts'
export { HOSTILE, idOf, STORY, type StoryRecord } from './story-records.ts'
