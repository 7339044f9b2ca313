import type { Difference } from '../differences.ts'

/** The list for readers: reasons first, then where each shows. */
export function describeDifferences(differences: Difference[]): string {
  const reasons = [...new Set(differences.map(({ reason }) => reason))]
  const sections = reasons.map(reason => {
    const places = differences
      .filter(entry => entry.reason === reason)
      .map(({ scenario, path }) => `- ${scenario}: \`${path}\``)
    return `## ${reason}\n\n${places.join('\n')}\n`
  })
  return [
    '# Differences from kube-apiserver\n',
    'Generated from `differences.ts`. The conformance run fails on any other difference, and on an entry that no longer differs.\n',
    ...(sections.length > 0 ? sections : ['There are none.\n']),
  ].join('\n')
}
