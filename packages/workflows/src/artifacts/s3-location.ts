import type { KeyRef, S3Location } from '../spec/workflow.ts'
import { refusedArtifact } from './artifact-failures.ts'
import type { ArtifactReading } from './artifact-source.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { namespaceStore } from './namespace-store.ts'
import { createS3Artifacts } from './s3-artifacts.ts'
import { secretValue } from './secret-value.ts'

/** The store of a location: what the namespace has of the engine's own for a key alone, another one for a bucket that the manifest names. Its
 *  Secrets are read on behalf of the run, and its address is one that requests may go to. */
export async function storeOfLocation(reading: ArtifactReading, location: S3Location): Promise<ArtifactStore> {
  const { bucket, endpoint, region, insecure, accessKeySecret, secretKeySecret, sessionTokenSecret } = location
  if (bucket === undefined && endpoint === undefined)
    return namespaceStore(reading.options.artifacts, reading.namespace)
  if (bucket === undefined || endpoint === undefined || !accessKeySecret || !secretKeySecret)
    throw refusedArtifact('The location of an artifact in S3 is not complete', {
      why: 'it needs endpoint, bucket, accessKeySecret and secretKeySecret, or a key alone',
    })
  const secret = (ref: KeyRef) => secretValue(reading.client, reading.namespace, ref)
  return createS3Artifacts({
    endpoint: endpoint.includes('://') ? endpoint : `${insecure ? 'http' : 'https'}://${endpoint}`,
    bucket,
    ...(region !== undefined && { region }),
    credentials: {
      accessKey: await secret(accessKeySecret),
      secretKey: await secret(secretKeySecret),
      ...(sessionTokenSecret && { sessionToken: await secret(sessionTokenSecret) }),
    },
    clock: reading.options.env.clock,
    access: reading.options.access?.outbound ?? {},
  })
}
