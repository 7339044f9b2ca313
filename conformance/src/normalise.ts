import type { Json, JsonObject } from './http.ts'
import { asText, isObject, type Step } from './transcript.ts'

/** What a scenario knows about itself and its answers must not depend on. */
export interface Circumstances {
  /** The scenario's own namespace, shown as NS. */
  namespace: string
  /** The scenario's own API group for custom resources, shown as GROUP. */
  group: string
  /** Objects written before this version are the server's own: their order is no behaviour. */
  firstVersion: number
  /** Port of the server under test. */
  port: number
  /** Values (uids, addresses, ports, names) that the scenario sent before any answer had them: those are not chance. */
  invented: ReadonlySet<string>
  keepManagedFields: boolean
}

/** Replaces what differs between two runs of the same scenario (uids, versions, times, generated names, addresses) by
 *  names that keep its relations: the second uid seen is `uid:2` wherever it appears, versions are ranked. */
export function normalise(steps: Step[], circumstances: Circumstances): Step[] {
  return new Normaliser(steps, circumstances).run()
}

const foreignGroup = /[a-z0-9-]+\.conformance\.dev/
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const instant = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g
/** A version in a message, a query or JSON inside text, after words that say that it is one. */
const versionInText =
  /((?:resource ?version(?: in (?:the )?(?:precondition|object meta|record))?|current|in record|in object meta)\\*(?:"|%22)?(?:: {0,2}|=| \()\\*"?)(\d+)(?![\w-])/gi
const jsonWebToken = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/
/** What a scenario asks for when it wants a version of the future. */
const unreachableVersion = 999_999_999
const dayMilliseconds = 86_400_000
/** Of a generateName only so much is used, to leave room for the generated part. */
const longestPrefix = 58
const buildFacts = new Set(['buildDate', 'compiler', 'gitCommit', 'gitTreeState', 'goVersion', 'platform'])

type Order = (left: Json, right: Json) => number
const keepOrder: Order = () => 0

/** Lists whose order on the real server is chance: entries of managed fields are ordered by the second of their write,
 *  the rules of a user by nothing. */
const orders = new Map<string, Order>([
  ['managedFields', (left, right) => compareTexts(describeEntry(left), describeEntry(right))],
  ['nonResourceRules', (left, right) => compareTexts(JSON.stringify(left), JSON.stringify(right))],
  ['resourceRules', (left, right) => compareTexts(JSON.stringify(left), JSON.stringify(right))],
])

function describeEntry(entry: Json): string {
  return isObject(entry) ? `${asText(entry.operation)} ${asText(entry.manager)} ${asText(entry.subresource)}` : ''
}

/** Puts the causes of an error into alphabetical order, in the list and in the message made of it. */
function sortCauses(status: JsonObject): JsonObject {
  const details = status.details
  if (!isObject(details) || !Array.isArray(details.causes) || typeof status.message !== 'string') return status
  const sentences = details.causes.map(cause =>
    isObject(cause) ? `${asText(cause.field)}: ${asText(cause.message)}` : '',
  )
  const causes = details.causes.toSorted((left, right) => compareTexts(JSON.stringify(left), JSON.stringify(right)))
  const shown = [...new Set(sentences)]
  const message = status.message.replace(`[${shown.join(', ')}]`, () => `[${shown.toSorted(compareTexts).join(', ')}]`)
  return { ...status, message, details: { ...details, causes } }
}

/** A column that a definition describes, not one that every kind has. */
function isOwnColumn(column: JsonObject): boolean {
  return !['Name', 'Created At', 'Age'].includes(asText(column.name))
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

class Normaliser {
  readonly #steps: Step[]
  readonly #circumstances: Circumstances
  readonly #versions: number[]
  readonly #uids = new Map<string, string>()
  readonly #addresses = new Map<string, string>()
  readonly #generatedNames = new Map<string, string>()
  #request = ''

  constructor(steps: Step[], circumstances: Circumstances) {
    this.#steps = steps
    this.#circumstances = circumstances
    const versions = new Set<number>()
    for (const step of steps) {
      for (const value of [step.body, step.events]) {
        visitObjects(value, object => {
          const metadata = object.metadata
          if (!isObject(metadata)) return
          if (metadata.uid !== undefined && isVersion(metadata.resourceVersion)) {
            versions.add(Number(metadata.resourceVersion))
          }
          const { generateName, name } = metadata
          if (typeof generateName === 'string' && typeof name === 'string') this.#nameGenerated(generateName, name)
        })
        visitTexts(value, text => {
          for (const [, version] of text.matchAll(/resource ?version\\*"?: {0,2}\\*"?(\d+)/gi))
            versions.add(Number(version))
        })
      }
    }
    this.#versions = [...versions]
      .filter(version => version >= circumstances.firstVersion && version < unreachableVersion)
      .sort((a, b) => a - b)
  }

  run(): Step[] {
    return this.#steps.map(step => {
      this.#request = step.request
      const normal: Step = { request: this.#text(step.request), status: step.status }
      const headers = this.#value(step.headers ?? {}) as Record<string, string>
      if (Object.keys(headers).length > 0) normal.headers = headers
      if (step.body !== undefined) normal.body = this.#value(step.body)
      if (step.events !== undefined) normal.events = step.events.map(event => this.#value(event))
      return normal
    })
  }

  #nameGenerated(generateName: string, name: string): void {
    const prefix = generateName.slice(0, longestPrefix)
    if (!name.startsWith(prefix) || this.#generatedNames.has(name) || this.#circumstances.invented.has(name)) return
    const suffixLength = name.length - prefix.length
    this.#generatedNames.set(name, `${prefix}<generated ${suffixLength}:${this.#generatedNames.size + 1}>`)
  }

  #value(value: Json, key = '', holder?: JsonObject): Json {
    if (typeof value === 'string') return this.#string(value, key, holder)
    if (typeof value === 'number') return this.#number(value, key)
    if (Array.isArray(value)) {
      const isRow = key === 'cells'
      return [...value]
        .sort(orders.get(key) ?? keepOrder)
        .filter(item => !this.#isForeign(item))
        .map(item => (isRow && typeof item === 'string' ? this.#cell(item) : this.#value(item)))
    }
    // Some kinds of the real server show no rows as null: clients read both alike.
    if (key === 'rows' && value === null) return []
    if (!isObject(value)) return value
    const isCustom = this.#request.includes(this.#circumstances.group)
    // Where a schema or several managers speak, the real server collects the causes from unordered maps.
    const isUnordered = isCustom || /apply-patch|customresourcedefinitions/.test(this.#request)
    return this.#object(value.kind === 'Status' && isUnordered ? sortCauses(value) : value, key, isCustom)
  }

  #object(value: JsonObject, key: string, isCustom: boolean): Json {
    const normal: [string, Json][] = []
    for (const name of Object.keys(value).sort()) {
      if (this.#isForeignName(name)) continue
      // What built-in columns mean is prose, and nobody's behaviour depends on it.
      if (name === 'description' && value.priority !== undefined && !(isCustom && isOwnColumn(value))) continue
      if (name === 'managedFields' && key === 'metadata' && !this.#circumstances.keepManagedFields) continue
      normal.push([this.#text(name), this.#value(value[name] ?? null, name, value)])
    }
    // Object.fromEntries defines own properties, so a key such as __proto__ stays data.
    return Object.fromEntries(normal)
  }

  #string(text: string, key: string, holder?: JsonObject): Json {
    if (buildFacts.has(key)) return `<${key}>`
    if (key === 'serverAddress') return '<address>'
    if (key === 'jwks_uri') return text.replace(/\/\/[^/]+/, '//<address>')
    // The hash is over the group's name, which is the scenario's own.
    if (key === 'storageVersionHash' && this.#request.includes(this.#circumstances.group)) return '<hash>'
    if (key === 'resourceVersion' && isVersion(text)) return this.#version(text, holder?.uid === undefined)
    if (key === 'continue' && text !== '') return this.#continueToken(text)
    if (jsonWebToken.test(text)) return this.#token(text)
    if (text.includes('-----BEGIN CERTIFICATE')) return '<certificate>'
    return this.#text(text)
  }

  #number(value: number, key: string): Json {
    if (key === 'targetPort' && value === this.#circumstances.port) return '<port>'
    const isAllocated = key === 'nodePort' || key === 'healthCheckNodePort'
    return isAllocated && value !== 0 && !this.#circumstances.invented.has(String(value)) ? `<${key}>` : value
  }

  #cell(text: string): string {
    return this.#text(text)
      .replace(/^(\d+[smhdy])+$/, '<age>')
      .replace(/:\d{5}\//g, ':<nodePort>/')
  }

  #text(text: string): string {
    let normal = text
      .replaceAll(this.#circumstances.group, 'GROUP')
      // Some messages quote only the first bytes of a body.
      .replaceAll(this.#circumstances.group.slice(0, 15), 'GROUP')
      .replaceAll(this.#circumstances.namespace, 'NS')
      .replace(uuid, found => this.#uid(found))
      .replace(instant, found => this.#instant(found))
      .replace(/\b10\.96\.\d+\.\d+\b/g, found => this.#address(found))
      .replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<random>')
      .replace(/hash=[0-9A-F]{64,}/g, 'hash=<hash>')
      .replace(/continue=([\w%-]+)/g, 'continue=<token>')
      .replace(/(too old resource version: \d+ \()\d+\)/, '$1<version>)')
      .replace(versionInText, (all, before: string, version: string) =>
        this.#isChance(version) ? `${before}${this.#version(version, !this.#versions.includes(Number(version)))}` : all,
      )
    for (const [name, shown] of this.#generatedNames) normal = normal.replaceAll(name, shown)
    return normal
  }

  /** A version small enough to be made up by the scenario (0, 1, 2) or absurdly large stays as it is. */
  #isChance(version: string): boolean {
    const number = Number(version)
    return number >= this.#circumstances.firstVersion && number < unreachableVersion
  }

  /** Ranks a version among those of the scenario's objects. Of a list or bookmark only the rank of what it must have
   *  seen is known, as other clients of the server may have written in between: that gets a plus. */
  #version(version: string, isLowerBound: boolean): string {
    const number = Number(version)
    const rank = this.#versions.filter(known => known <= number).length
    return isLowerBound ? `rv:${rank}+` : `rv:${rank}`
  }

  #uid(found: string): string {
    if (this.#circumstances.invented.has(found)) return found
    const known = this.#uids.get(found) ?? `uid:${this.#uids.size + 1}`
    this.#uids.set(found, known)
    return known
  }

  #instant(found: string): string {
    const isRecent = Math.abs(Date.parse(found) - Date.now()) < dayMilliseconds
    if (!isRecent) return found
    const fraction = /\.(\d+)/.exec(found)?.[1]
    return fraction ? `<time.${fraction.length}>` : '<time>'
  }

  #address(found: string): string {
    if (this.#circumstances.invented.has(found) || found === '10.96.0.0' || found === '10.96.0.1') return found
    const known = this.#addresses.get(found) ?? `<address ${this.#addresses.size + 1}>`
    this.#addresses.set(found, known)
    return known
  }

  #continueToken(token: string): Json {
    try {
      const { v, rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString()) as Record<string, Json>
      return `<${this.#text(`${asText(v)} ${typeof rv === 'number' && rv > 0 ? this.#version(String(rv), true) : asText(rv)} ${JSON.stringify(start)}`)}>`
    } catch {
      return this.#text(token)
    }
  }

  #token(token: string): Json {
    const [header, payload] = token
      .split('.')
      .slice(0, 2)
      .map(part => JSON.parse(Buffer.from(part, 'base64url').toString()) as JsonObject)
    const issuedAt = payload?.iat
    const relative = Object.entries(payload ?? {}).map(([claim, value]): [string, Json] =>
      typeof value === 'number' && typeof issuedAt === 'number' ? [claim, `iat+${value - issuedAt}`] : [claim, value],
    )
    return { token: { alg: header?.alg ?? null, ...(this.#value(Object.fromEntries(relative)) as JsonObject) } }
  }

  #isForeign(item: Json): boolean {
    if (typeof item === 'string') return this.#isForeignName(item)
    if (!isObject(item)) return false
    const name = isObject(item.metadata) ? item.metadata.name : item.name
    return typeof name === 'string' && this.#isForeignName(name)
  }

  /** Other scenarios run beside this one; their API groups show in discovery. */
  #isForeignName(name: string): boolean {
    const found = foreignGroup.exec(name)
    return found !== null && name.length < 200 && !name.includes(this.#circumstances.group)
  }
}

function isVersion(value: Json | undefined): value is string {
  return typeof value === 'string' && /^[1-9]\d*$/.test(value)
}

function visitObjects(value: Json | undefined, visit: (object: JsonObject) => void): void {
  if (Array.isArray(value)) for (const item of value) visitObjects(item, visit)
  else if (isObject(value)) {
    visit(value)
    for (const item of Object.values(value)) visitObjects(item, visit)
  }
}

function visitTexts(value: Json | undefined, visit: (text: string) => void): void {
  if (typeof value === 'string') visit(value)
  else if (Array.isArray(value)) for (const item of value) visitTexts(item, visit)
  else if (isObject(value)) for (const item of Object.values(value)) visitTexts(item, visit)
}
