/** A query, parsed. All terms must hold; of the values of one term one is enough. */
export interface Query {
  terms: readonly Term[]
  /** What was parsed. */
  text: string
}

export type Term = FieldTerm | TextTerm

/** `field:value,value`, `-field:value`, `age:<1h`, `data.spec.replicas:>3` */
export interface FieldTerm {
  /** As it was written; of payload fields with the path: `data.spec.replicas`. */
  field: string
  isNegated: boolean
  values: readonly Value[]
  /** Where it begins in the text. */
  at: number
}

export interface Value {
  comparison: '=' | '<' | '<=' | '>' | '>='
  /** With `*` for anything. */
  text: string
  /** Whether it was quoted: then `*` is a star. */
  isQuoted: boolean
}

/** `word`, `"some words"`, `-word`: in the full text. */
export interface TextTerm {
  field: undefined
  isNegated: boolean
  text: string
  isPhrase: boolean
  at: number
}
