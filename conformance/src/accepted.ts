import { type Difference, differences } from '../differences.ts'
import type { Disagreement } from './transcript.ts'

/** Tells wanted differences from mistakes, and remembers which entries were met. */
export class AcceptedDifferences {
  readonly #met = new Set<Difference>()
  readonly #played = new Set<string>()

  /** The disagreements that no entry explains. */
  unexplained(scenario: string, disagreements: Disagreement[]): Disagreement[] {
    this.#played.add(scenario)
    return disagreements.filter(({ path }) => {
      const entries = explanations(scenario, path)
      for (const entry of entries) this.#met.add(entry)
      return entries.length === 0
    })
  }

  /** Whether an entry explains each of them. Asking does not count as having met them. */
  areExplained(scenario: string, disagreements: Disagreement[]): boolean {
    return disagreements.every(({ path }) => explanations(scenario, path).length > 0)
  }

  /** Entries of the scenarios that were played that no longer describe a difference. */
  outdated(): Difference[] {
    return differences.filter(entry => this.#played.has(entry.scenario) && !this.#met.has(entry))
  }
}

const explanations = (scenario: string, path: string) =>
  differences.filter(entry => entry.scenario === scenario && matches(entry.path, path))

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('.')
  const parts = path.split('.')
  return parts.length >= wanted.length && wanted.every((part, index) => part === '*' || part === parts[index])
}
