import type { KubeObject } from '@tiphys/kube'
import type { FieldError } from './field-error.ts'
import type { User } from './request/api-request.ts'

/** What one kind adds to the generic create, update and delete. Everything generic (metadata, names, labels, finalizers,
 *  owner references, uid, resourceVersion, generation when `hasGeneration`, managedFields) is the registry's business and
 *  not repeated here. Objects are plain JSON, owned by the caller of these functions, changed in place; `old` and the fields of an
 *  updated object that are `old`'s very own are shared, and replaced instead of changed. */
export interface Strategy {
  /** Fills in what the client left out, as the real server's defaults do. Runs on every decode and on every stored read. */
  setDefaults?(object: KubeObject): void
  /** `setDefaults` completes every field at the top by itself alone, and nothing that is asked to prepare an updated object
   *  changes a field in place: what an update leaves as it was stays the stored object's own. */
  hasIndependentFields?: boolean
  /** Clears what a client may not set on create (status, …). `requester` is there for the kinds that say who made them. */
  prepareForCreate?(object: KubeObject, requester?: User): void
  /** Takes over from `old` what this request may not change (status on the main resource, …). */
  prepareForUpdate?(object: KubeObject, old: KubeObject): void
  validate?(object: KubeObject): FieldError[]
  /** Everything that must hold for the update, including what `validate` checks. */
  validateUpdate?(object: KubeObject, old: KubeObject): FieldError[]
  /** Same for the status subresource. `prepareForStatusUpdate` defaults to: take everything but status and metadata's
   *  writable part from `old`. */
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject): void
  validateStatusUpdate?(object: KubeObject, old: KubeObject): FieldError[]
  /** Takes over from `old` what a subresource of a part (`ephemeralcontainers`, `resize`) may not change. */
  prepareForSubresourceUpdate?(subresource: string, object: KubeObject, old: KubeObject): void
  /** What must hold when a part of the object is written through a subresource of its own (`ephemeralcontainers`). */
  validateSubresourceUpdate?(subresource: string, object: KubeObject, old: KubeObject): FieldError[]
  /** Warning headers for what is legal but unwise. */
  warnings?(object: KubeObject, old: KubeObject | undefined): string[]
  /** Values of the field selectors this kind supports beyond metadata.name and metadata.namespace. */
  fields?(object: KubeObject): Record<string, string>
  /** The names that `fields` answers. */
  fieldNames?: readonly string[]
  /** metadata.generation is 1 at creation and grows when something outside metadata and status changes. */
  hasGeneration: boolean
  /** When the generation grows for more than a changed spec (annotations of a Deployment) or for less. */
  generationChanges?(object: KubeObject, old: KubeObject): boolean
  /** Kinds that are served in several versions and stored in one: the object as `version` of its own group shows it.
   *  Returns a new object; the one given stays as it is. */
  convert?(object: KubeObject, version: string): KubeObject
  /** The message of the 400 for a field selector that this kind does not know. Absent: the generic text. */
  unsupportedFieldText?(field: string): string
  /** Dependents are orphaned instead of deleted in the background when the request names no propagation policy. */
  orphansDependentsByDefault?: boolean
  /** Finalizers without a domain are fine, as they are for custom resources. */
  allowsPlainFinalizers?: boolean
  /** A name that is not a DNS subdomain (`path`: no slash, dot, dot-dot or percent), or a DNS label. */
  nameRule?: 'subdomain' | 'label' | 'label-1035' | 'path'
  /** Reasons beyond `nameRule` why this kind refuses a name. */
  nameReasons?: (name: string) => string[]
  allowCreateOnUpdate?: boolean
  allowUnconditionalUpdate?: boolean
  /** Seconds between deletionTimestamp and removal when the request does not say; undefined removes at once. */
  gracePeriod?(object: KubeObject): number | undefined
  /** A completed deletion answers with the object instead of a Status. */
  returnsDeletedObject?: boolean
  /** Its deletion is not said to have a grace period, not even one of 0 seconds. */
  hasNoGracePeriod?: boolean
  /** Deleting it takes more than removing it: it is marked, and somebody removes it later (Namespaces, CRDs). */
  isHeldOnDelete?(object: KubeObject): boolean
  /** Changes a private copy of the object as its deletion begins (a Namespace becomes Terminating). */
  prepareForDeletion?(object: KubeObject): void
}
