import type { Arguments } from './workflow.ts'

/** The names of arguments; undefined: they are not known. */
export interface GivenArguments {
  readonly parameters: ReadonlySet<string> | undefined
  readonly artifacts: ReadonlySet<string> | undefined
}

export const unknownArguments: GivenArguments = { parameters: undefined, artifacts: undefined }

export const namesOf = (args: Arguments | undefined): GivenArguments => ({
  parameters: new Set(args?.parameters?.map(({ name }) => name)),
  artifacts: new Set(args?.artifacts?.map(({ name }) => name)),
})
