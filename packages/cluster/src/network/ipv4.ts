/** IPv4 addresses as numbers, so that ranges are arithmetic. */
export interface Ipv4Range {
  /** The first address, the one that names the network. */
  first: number
  prefix: number
  size: number
}

export function parseIpv4(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number)
  if (!parts || parts.some(part => part > 255)) return undefined
  return parts.reduce((address, part) => address * 256 + part, 0)
}

export function formatIpv4(address: number): string {
  return [24, 16, 8, 0].map(shift => (address >>> shift) & 255).join('.')
}

export function parseIpv4Range(text: string): Ipv4Range {
  const [, base = '', digits = ''] = /^([\d.]+)\/(\d{1,2})$/.exec(text) ?? []
  const address = parseIpv4(base)
  const prefix = Number(digits)
  if (address === undefined || digits === '' || prefix > 32) {
    throw new Error(`${JSON.stringify(text)} is no IPv4 range such as 10.244.0.0/16`)
  }
  const size = 2 ** (32 - prefix)
  return { first: address - (address % size), prefix, size }
}

export function isInRange(range: Ipv4Range, address: number): boolean {
  return address >= range.first && address < range.first + range.size
}

/** Hands out the addresses of a range. One that was given back comes again as late as possible, because somebody may
 *  still speak to whoever had it. */
export class AddressPool {
  readonly #range: Ipv4Range
  /** How many addresses at the beginning of the range are not handed out: the network's own and the bridge's. */
  #next: number
  /** What was given back, the longest unused first. */
  readonly #returned: number[] = []

  constructor(range: Ipv4Range, reserved: number) {
    this.#range = range
    this.#next = reserved
  }

  take(): string {
    // The last address of a range is its broadcast address.
    const address = this.#next < this.#range.size - 1 ? this.#range.first + this.#next++ : this.#returned.shift()
    if (address === undefined) {
      const name = `${formatIpv4(this.#range.first)}/${this.#range.prefix}`
      throw new Error(`no address is left in ${name}, the range of the pods`)
    }
    return formatIpv4(address)
  }

  giveBack(address: string): void {
    const number = parseIpv4(address)
    if (number !== undefined) this.#returned.push(number)
  }
}
