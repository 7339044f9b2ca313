import type { KubeObject } from '@tiphys/kube'

/** One object that somebody wrote down, and where. */
export interface Manifest {
  object: KubeObject
  /** The file as the reader was given it. */
  file: string
  /** The line where the document begins, counted from 1. */
  line: number
  /** The line of a field, or of the nearest part above it that is there. */
  lineOf(path: FieldPath): number
}

export type FieldPath = readonly (string | number)[]

/** Something about a file that a person should know. */
export interface FileNote {
  file: string
  line: number
  message: string
}

/** `Deployment shop/web`. */
export function nameOf({ kind, metadata }: KubeObject): string {
  const name = metadata.name ?? `${metadata.generateName ?? ''}…`
  return metadata.namespace === undefined ? `${kind} ${name}` : `${kind} ${metadata.namespace}/${name}`
}

/** `a/b.yaml:7: what is wrong there`. */
export const formatNote = ({ file, line, message }: FileNote): string => `${file}:${line}: ${message}`
