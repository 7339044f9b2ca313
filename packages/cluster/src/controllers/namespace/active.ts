import { ApiError, isAlreadyExists, isNotFound } from '@tiphys/kube'
import type { Namespace } from '@tiphys/kube/kinds'

export const isActive = ({ metadata, status }: Namespace): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase === 'Active'

/** The server refused to create something because its namespace is being deleted. */
export const isNamespaceTerminating = (thrown: unknown): boolean =>
  thrown instanceof ApiError &&
  (thrown.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false)

/** Why creating something that every namespace has need not be tried again: it is there, or its namespace is going. */
export const isCreationPointless = (thrown: unknown): boolean =>
  isAlreadyExists(thrown) || isNotFound(thrown) || isNamespaceTerminating(thrown)
