import type { ArtifactReference } from '@tiphys/journal/records'
import { FOREIGN_STORES } from '../spec/artifact.ts'
import type { Artifact } from '../spec/workflow.ts'

/** What a record keeps of an artifact: where it is, and nothing of its content. */
export function referenceTo(artifact: Artifact): ArtifactReference {
  const { name, path, globalName } = artifact
  return {
    name,
    ...(path !== undefined && { path }),
    ...(globalName !== undefined && globalName !== '' && { globalName }),
    ...placeOf(artifact),
  }
}

function placeOf(artifact: Artifact): Pick<ArtifactReference, 'key' | 'store' | 'from' | 'bytes'> {
  const { s3, raw, http, git, subPath } = artifact
  if (s3?.key !== undefined) {
    const store = [s3.endpoint, s3.bucket].filter(part => part !== undefined).map(withoutSecrets)
    return { key: subPath ? `${s3.key}/${subPath}` : s3.key, ...(store.length > 0 && { store: store.join('/') }) }
  }
  if (raw) return { from: 'the manifest', bytes: Buffer.byteLength(raw.data) }
  const address = http?.url ?? git?.repo
  if (address !== undefined) return { from: withoutSecrets(address) }
  const foreign = FOREIGN_STORES.find(kind => artifact[kind] !== undefined)
  return foreign === undefined ? {} : { from: foreign }
}

/** Addresses may have passwords before the host and tokens after the path. */
function withoutSecrets(address: string): string {
  if (!address.includes('://') || !URL.canParse(address)) return address
  const { protocol, host, pathname } = new URL(address)
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}`
}
