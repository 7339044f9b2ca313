import { ApiError, isNotFound } from '@tiphys/kube'

/** For a write whose object has gone, or whose namespace is going: there is nothing left to bring up to date. */
export function isGoneOrClosing(thrown: unknown): undefined {
  if (isNotFound(thrown)) return undefined
  const isClosing =
    thrown instanceof ApiError && thrown.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating')
  if (isClosing) return undefined
  throw thrown
}
