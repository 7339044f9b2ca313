import { createInterface } from 'node:readline'
import { ImageFailure, type ImageRequest, type ResolvedImage } from '../pod-runtime.ts'
import { type ImageDescription, resolve } from './container-spec.ts'
import { type EngineClient, EngineRefusal } from './engine-client.ts'

/** A reference as registries know it: lower-case path, a tag or a digest or both. */
const REFERENCE =
  /^[a-z0-9]+(?:[._:-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/i

/** Finds the image for a container in the engine, fetching it as its pull policy says. */
export async function resolveImage(engine: EngineClient, request: ImageRequest): Promise<ResolvedImage> {
  const { image, imagePullPolicy } = request
  const name = withTag(image)
  const present = imagePullPolicy === 'Always' ? undefined : await inspect(engine, name)
  if (present) return resolve(request, present)
  if (imagePullPolicy === 'Never') {
    throw new ImageFailure('ErrImageNeverPull', `Container image "${image}" is not present with pull policy of Never`)
  }
  await pull(engine, name)
  const pulled = await inspect(engine, name)
  if (!pulled) throw new ImageFailure('ErrImagePull', `the engine fetched "${image}" and does not have it`)
  return resolve(request, pulled)
}

/** The name with `latest` where it has neither a tag nor a digest. */
export function withTag(image: string): string {
  const path = image.slice(image.lastIndexOf('/') + 1)
  if (!REFERENCE.test(image) || /[A-Z]/.test(image.replace(/[:@][^/]*$/, ''))) {
    const problem = `couldn't parse image name "${image}": invalid reference format`
    throw new ImageFailure('InvalidImageName', `Failed to apply default image tag "${image}": ${problem}`)
  }
  return path.includes(':') || path.includes('@') ? image : `${image}:latest`
}

async function inspect(engine: EngineClient, name: string): Promise<ImageDescription | undefined> {
  try {
    return await engine.json<ImageDescription>(`/images/${encodeURIComponent(name)}/json`)
  } catch (thrown) {
    if (thrown instanceof EngineRefusal && thrown.status === 404) return undefined
    throw thrown
  }
}

async function pull(engine: EngineClient, name: string): Promise<void> {
  try {
    const progress = await engine.stream('/images/create', { method: 'POST', query: { fromImage: name } })
    for await (const line of createInterface({ input: progress })) {
      const { error } = (line.trim() === '' ? {} : JSON.parse(line)) as { error?: string }
      if (error !== undefined) throw new ImageFailure('ErrImagePull', error)
    }
  } catch (thrown) {
    if (thrown instanceof EngineRefusal) throw new ImageFailure('ErrImagePull', thrown.message)
    throw thrown
  }
}
