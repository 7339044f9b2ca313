import { filledSuite } from './filled-suite.ts'
import { liveSuite } from './live-suite.ts'
import { retentionSuite } from './retention-suite.ts'
import type { SceneOptions } from './scene.ts'

/** What every database does alike. */
export function archiveSuite(options: () => Promise<SceneOptions>): void {
  filledSuite(options)
  liveSuite(options)
  retentionSuite(options)
}
