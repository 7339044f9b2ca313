import { Quantity } from '../../quantity.ts'
import { compilePattern } from '../../re2/pattern.ts'
import {
  ArrayList,
  CelError,
  type CelValue,
  EntryMap,
  noOverloadFor,
  OpaqueValue,
  unsupportedConversion,
} from '../value.ts'
import { escapedPath, formatUrl, type GoUrl, parseRequestUri, parseUrl, queryValues, splitHostPort } from './go-url.ts'
import { type Implementation, overload } from './implementation.ts'

export class UrlValue extends OpaqueValue {
  readonly typeName = 'kubernetes.URL'
  readonly goType = 'cel.URL'
  readonly url: GoUrl

  constructor(url: GoUrl) {
    super()
    this.url = url
  }

  equals(other: CelValue): boolean | CelError {
    return other instanceof UrlValue ? formatUrl(this.url) === formatUrl(other.url) : noOverloadFor(other)
  }

  override throughOptional(): CelValue {
    return unsupportedConversion('*url.URL', formatUrl(this.url))
  }
}

function url(text: string): CelValue {
  try {
    parseRequestUri(text)
    return new UrlValue(parseUrl(text))
  } catch (error) {
    return new CelError(`URL parse error during conversion from string: ${(error as Error).message}`)
  }
}

function isUrl(text: string): boolean {
  try {
    parseRequestUri(text)
    return true
  } catch {
    // The question is only whether it parses.
    return false
  }
}

function getQuery({ url }: UrlValue): CelValue {
  return EntryMap.of([...queryValues(url)].map(([key, values]) => [key, new ArrayList(values)] as const))
}

export class QuantityValue extends OpaqueValue {
  readonly typeName = 'kubernetes.Quantity'
  readonly goType: string
  readonly quantity: Quantity
  /** The result of arithmetic, which Kubernetes cannot take on the right side of `==`. */
  readonly isComputed: boolean

  constructor(quantity: Quantity, isComputed = false) {
    super()
    this.quantity = quantity
    this.isComputed = isComputed
    this.goType = isComputed ? '*cel.Quantity' : 'cel.Quantity'
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof QuantityValue) || other.isComputed) return noOverloadFor(other)
    return this.quantity.equals(other.quantity)
  }

  override throughOptional(): CelValue {
    return unsupportedConversion('*resource.Quantity', this.quantity.toString())
  }
}

function quantity(text: string): CelValue {
  try {
    return new QuantityValue(Quantity.parse(text))
  } catch (error) {
    return new CelError((error as Error).message)
  }
}

function computed(result: Quantity): CelValue {
  return new QuantityValue(result, true)
}

function withInt(value: bigint): Quantity {
  return Quantity.of(value, 'DecimalExponent')
}

function illegalRegex(error: unknown): CelError {
  return new CelError(`Illegal regex: ${(error as Error).message}`)
}

function find(text: string, pattern: string): CelValue {
  try {
    return compilePattern(pattern).find(text)
  } catch (error) {
    return illegalRegex(error)
  }
}

function findAll(text: string, pattern: string, limit = -1n): CelValue {
  try {
    return new ArrayList(compilePattern(pattern).findAll(text, Number(limit)))
  } catch (error) {
    return illegalRegex(error)
  }
}

export const kubernetesOverloads: readonly (readonly [string, Implementation])[] = [
  overload('string_find_string', find),
  overload('string_find_all_string', findAll),
  overload('string_find_all_string_int', findAll),
  overload('string_to_url', url),
  overload('is_url_string', isUrl),
  overload('url_get_scheme', ({ url }: UrlValue) => url.scheme),
  overload('url_get_host', ({ url }: UrlValue) => url.host),
  overload('url_get_hostname', ({ url }: UrlValue) => splitHostPort(url.host).host),
  overload('url_get_port', ({ url }: UrlValue) => splitHostPort(url.host).port),
  overload('url_get_escaped_path', ({ url }: UrlValue) => escapedPath(url)),
  overload('url_get_query', getQuery),
  overload('string_to_quantity', quantity),
  overload('is_quantity_string', (text: string) => Quantity.isValid(text)),
  overload('quantity_sign', ({ quantity }: QuantityValue) => BigInt(quantity.sign())),
  overload('quantity_is_greater_than', (a: QuantityValue, b: QuantityValue) => a.quantity.compare(b.quantity) > 0),
  overload('quantity_is_less_than', (a: QuantityValue, b: QuantityValue) => a.quantity.compare(b.quantity) < 0),
  overload('quantity_compare_to', (a: QuantityValue, b: QuantityValue) => BigInt(a.quantity.compare(b.quantity))),
  overload('quantity_get_float', ({ quantity }: QuantityValue) => quantity.asApproximateFloat()),
  overload(
    'quantity_get_int',
    ({ quantity }: QuantityValue) => quantity.asInt64() ?? new CelError('cannot convert value to integer'),
  ),
  overload('quantity_is_integer', ({ quantity }: QuantityValue) => quantity.asInt64() !== undefined),
  overload('quantity_add', (a: QuantityValue, b: QuantityValue) => computed(a.quantity.add(b.quantity))),
  overload('quantity_add_int', (a: QuantityValue, b: bigint) => computed(a.quantity.add(withInt(b)))),
  overload('quantity_sub', (a: QuantityValue, b: QuantityValue) => computed(a.quantity.sub(b.quantity))),
  overload('quantity_sub_int', (a: QuantityValue, b: bigint) => computed(a.quantity.sub(withInt(b)))),
]
