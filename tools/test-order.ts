import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Whose tests start processes, servers and browsers and wait for them, the longest first. */
export const LONG_FIRST = ['conformance', 'tiphys', 'tools', 'bench', 'archive', 'cluster']

/** The runner takes the packages by name, and so came to the longest files of `tools` when the other workers had little left to
 *  do. The many short files at the end keep all workers busy to the last. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longFirst(await super.sort(files))
  }
}

/** Files of one package stay in their order. */
export function longFirst<T extends { project: { name: string } }>(files: readonly T[]): T[] {
  return files.toSorted((a, b) => rank(a.project.name) - rank(b.project.name))
}

function rank(name: string): number {
  const place = LONG_FIRST.indexOf(name)
  return place === -1 ? LONG_FIRST.length : place
}
