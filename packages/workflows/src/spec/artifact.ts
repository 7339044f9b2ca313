import type { KeyRef } from './workflow.ts'

/** A file or folder that a step takes or gives. At most one of the locations is set. */
export interface Artifact extends ArtifactLocation {
  name: string
  /** Where it lies in the container. */
  path?: string
  mode?: number
  from?: string
  fromExpression?: string
  optional?: boolean
  subPath?: string
  recurseMode?: boolean
  globalName?: string
  archive?: { none?: Record<string, never>; tar?: { compressionLevel?: number }; zip?: Record<string, never> }
  artifactGC?: Record<string, unknown>
  archiveLogs?: boolean
  /** Set in status: it was removed by garbage collection. */
  deleted?: boolean
}

export interface ArtifactLocation {
  raw?: { data: string }
  s3?: S3Location
  http?: HttpLocation
  git?: GitLocation
  /** Locations that only some stores understand; passed through. */
  gcs?: Record<string, unknown>
  azure?: Record<string, unknown>
  oss?: Record<string, unknown>
  hdfs?: Record<string, unknown>
  artifactory?: Record<string, unknown>
  plugin?: Record<string, unknown>
}

/** Stores that upstream knows and Tiphys does not. */
export const FOREIGN_STORES = [
  'gcs',
  'azure',
  'oss',
  'hdfs',
  'artifactory',
  'plugin',
] as const satisfies (keyof ArtifactLocation)[]

const LOCATIONS = ['raw', 's3', ...FOREIGN_STORES] as const

/** Whether it says where the artifact is. An empty address says nothing. */
export const hasLocation = ({ http, git, ...artifact }: ArtifactLocation): boolean =>
  (http?.url ?? '') !== '' || (git?.repo ?? '') !== '' || LOCATIONS.some(kind => artifact[kind] !== undefined)

export interface S3Location {
  key?: string
  bucket?: string
  endpoint?: string
  region?: string
  insecure?: boolean
  accessKeySecret?: KeyRef
  secretKeySecret?: KeyRef
  sessionTokenSecret?: KeyRef
  useSDKCreds?: boolean
  [field: string]: unknown
}

export interface HttpLocation {
  url: string
  headers?: { name: string; value: string }[]
  auth?: { basicAuth?: { usernameSecret?: KeyRef; passwordSecret?: KeyRef }; clientCert?: unknown; oauth2?: unknown }
}

/** Ways to sign in that upstream knows and Tiphys does not. */
export const FOREIGN_AUTH = ['clientCert', 'oauth2'] as const satisfies (keyof NonNullable<HttpLocation['auth']>)[]

export interface GitLocation {
  repo: string
  revision?: string
  branch?: string
  singleBranch?: boolean
  depth?: number
  fetch?: string[]
  usernameSecret?: KeyRef
  passwordSecret?: KeyRef
  sshPrivateKeySecret?: KeyRef
  insecureIgnoreHostKey?: boolean
  insecureSkipTLS?: boolean
  disableSubmodules?: boolean
}
