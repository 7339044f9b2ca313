import type { ArtifactReference, NewRecord } from '@tiphys/journal/records'
import { HOSTILE } from './story-records.ts'

/** A run whose steps were given artifacts of every kind, and gave some; and one of another namespace. */
export const ARTIFACT_RUN = { namespace: 'shop', name: 'artifacts', uid: 'artifacts-uid' }
export const OTHER_ARTIFACT_RUN = { namespace: 'default', name: 'others', uid: 'others-uid' }

/** What the store is to have under the keys of the story. */
export const STORED_ARTIFACTS: Readonly<Record<string, string>> = {
  'shop/artifacts/make/report.tgz': 'the report',
  'shop/artifacts/make/<img>.tgz': 'harmless',
  'shop/artifacts/make/pages/index.html': '<script>window.hacked=1</script>',
  'shop/artifacts/make/pages/more/style.css': 'p {}',
  'default/others/make/secret.tgz': 'not for the shop',
}

const INPUTS: readonly ArtifactReference[] = [
  { name: 'typed', path: '/in/typed', from: 'the manifest', bytes: 12 },
  { name: 'page', path: '/in/page', from: `javascript:window.hacked=1//${HOSTILE}` },
  { name: 'nowhere', path: '/in/nowhere' },
]
const OUTPUTS: readonly ArtifactReference[] = [
  { name: 'report', path: '/out/report', key: 'shop/artifacts/make/report.tgz', globalName: 'final-report' },
  { name: HOSTILE, path: `/out/${HOSTILE}`, key: 'shop/artifacts/make/<img>.tgz', globalName: HOSTILE },
  { name: 'pages', path: '/out/pages', key: 'shop/artifacts/make/pages' },
  { name: 'gone', path: '/out/gone', key: 'shop/artifacts/make/gone.tgz' },
  { name: 'model', path: '/out/model', key: 'models/7', store: 'http://minio:9000/models' },
  { name: 'outside', key: '../outside' },
  { name: 'absolute', key: '/etc/passwd' },
  { name: 'linked', key: 'shop/linked' },
  { name: '..', key: 'shop/artifacts/make/report.tgz' },
]

export function artifactStory(now: number): readonly NewRecord[] {
  const times = { startedAt: now - 5000, finishedAt: now - 1000 }
  const about = { trace: '', at: now - 5000, template: 'make', phase: 'Succeeded', ...times }
  const step = { kind: 'step', step: 'make', type: 'Pod', attempt: 1, displayName: 'make', ...about } as const
  return [
    { kind: 'run', run: ARTIFACT_RUN, ...about, outputs: [{ name: 'size', value: '3' }] },
    { ...step, run: ARTIFACT_RUN, name: 'artifacts.make', inputArtifacts: INPUTS, outputArtifacts: OUTPUTS },
    { kind: 'run', run: OTHER_ARTIFACT_RUN, ...about },
    {
      ...step,
      run: OTHER_ARTIFACT_RUN,
      name: 'others.make',
      outputArtifacts: [{ name: 'secret', key: 'default/others/make/secret.tgz' }],
    },
  ]
}
