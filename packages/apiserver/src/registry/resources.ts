import type { Resource } from './resource.ts'

/** Everything that is served now. Changes when CRDs come and go; `revision` grows with every change. */
export class Resources {
  readonly #byPath = new Map<string, Resource>()
  /** Group → versions in the order discovery shows them. */
  readonly #groups = new Map<string, string[]>()
  #revision = 0

  get revision(): number {
    return this.#revision
  }

  add(resource: Resource): void {
    this.#byPath.set(pathKey(resource.group, resource.version, resource.name), resource)
    const versions = this.#groups.get(resource.group) ?? []
    if (!versions.includes(resource.version)) versions.push(resource.version)
    versions.sort(byVersionPriority)
    this.#groups.set(resource.group, versions)
    this.#revision++
  }

  remove(resource: Resource): void {
    this.#byPath.delete(pathKey(resource.group, resource.version, resource.name))
    const left = [...this.#byPath.values()].filter(other => other.group === resource.group)
    const versions = (this.#groups.get(resource.group) ?? []).filter(version =>
      left.some(other => other.version === version),
    )
    if (versions.length === 0) this.#groups.delete(resource.group)
    else this.#groups.set(resource.group, versions)
    this.#revision++
  }

  find(group: string, version: string, name: string): Resource | undefined {
    return this.#byPath.get(pathKey(group, version, name))
  }

  findByKind(group: string, version: string, kind: string): Resource | undefined {
    for (const resource of this.#byPath.values()) {
      if (resource.group === group && resource.version === version && resource.kind === kind) return resource
    }
    return undefined
  }

  /** Any version of a resource. */
  findAnyVersion(group: string, name: string): Resource | undefined {
    for (const version of this.versions(group)) {
      const resource = this.find(group, version, name)
      if (resource) return resource
    }
    return undefined
  }

  groups(): string[] {
    return [...this.#groups.keys()]
  }

  versions(group: string): readonly string[] {
    return this.#groups.get(group) ?? []
  }

  hasVersion(group: string, version: string): boolean {
    return this.versions(group).includes(version)
  }

  ofVersion(group: string, version: string): Resource[] {
    return [...this.#byPath.values()].filter(resource => resource.group === group && resource.version === version)
  }

  all(): Iterable<Resource> {
    return this.#byPath.values()
  }
}

const pathKey = (group: string, version: string, name: string): string => `${group}/${version}/${name}`

/** Kubernetes' version order: GA before beta before alpha, higher numbers first, then other names by alphabet. */
export function byVersionPriority(a: string, b: string): number {
  const left = parseVersion(a)
  const right = parseVersion(b)
  if (left && right) return right.stage - left.stage || right.major - left.major || right.minor - left.minor
  if (left || right) return left ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

function parseVersion(version: string): { major: number; stage: number; minor: number } | undefined {
  const match = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/.exec(version)
  if (!match) return undefined
  const stage = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0
  return { major: Number(match[1]), stage, minor: Number(match[3] ?? 0) }
}
