import { asError, delay, type Env, systemEnv, TerminalFailure, type Timer, uuid } from '@tiphys/env'
import { isAlreadyExists, isConflict, isNotFound } from './api-error.ts'
import type { Client } from './client.ts'
import { type Candidate, type Lease, planClaim, released, renewed, type SeenLease } from './lease-claim.ts'

/** One term of leading, from taking the lease to losing it. */
export interface Leadership {
  /** The fencing token: greater than that of every earlier term, whoever led then. */
  readonly epoch: number
  /** Aborts when the term is over. */
  readonly signal: AbortSignal
  /** Whether nobody else can lead yet. Asks the clock, so it is right also after the process stood still. */
  isValid(): boolean
  /** Call it before every write: returns the epoch, throws `LeadershipLost` when the term is over. */
  fence(): number
}

/** Where an election stands for this candidate. */
export type ElectionState =
  /** somebody else leads, or nobody yet */
  | { state: 'following'; leader: string | undefined }
  /** this candidate leads */
  | { state: 'leading'; leadership: Leadership }
  /** the candidate has withdrawn */
  | { state: 'stopped' }

/** One candidate for a lease.
 *
 *  At most one candidate's `isLeader` is true at any time. A leader counts from the moment it *sent* its last renewal that
 *  was answered, for `renewDeadlineMs`; the others count from the moment they *saw* it, for `leaseDurationMs`. Both use
 *  their own monotonic clock, so clocks may differ by any amount and drift by what lies between the two durations; a leader
 *  also stops when the wall clock says that the machine slept. (Deleting the Lease of a running leader breaks the promise
 *  towards a candidate that starts in that moment.) */
export interface LeaderElection {
  readonly identity: string
  state(): ElectionState
  isLeader(): boolean
  /** The identity that the lease names, as last seen. */
  leader(): string | undefined
  /** Returns the epoch of the current term; throws `LeadershipLost` when there is none. */
  fence(): number
  /** Withdraws: the term is over at once; the lease is given back when `onStoppedLeading` is done. */
  stop(): Promise<void>
}

export interface LeaderElectionOptions {
  client: Client
  namespace: string
  name: string
  /** Who this is, for people. A unique suffix is added, because two processes of one name would trust each other. */
  identity: string
  env?: Env
  leaseDurationMs?: number
  renewDeadlineMs?: number
  retryPeriodMs?: number
  onStartedLeading?: (leadership: Leadership) => void
  /** May return when the work of the term has ended. Before that a stopping leader does not give the lease back. */
  onStoppedLeading?: (why: Error) => void | Promise<void>
  onNewLeader?: (identity: string | undefined) => void
}

/** This process does not lead (any more): what it was about to write is another's to write. */
export class LeadershipLost extends TerminalFailure {
  constructor(why: string) {
    super('kube-leadership-lost', {
      what: 'this process is not the leader',
      why,
      todo: 'Leave the write to the leader',
    })
  }
}

export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  return new LeaseElection(options)
}

interface Term {
  readonly epoch: number
  readonly end: AbortController
  lease: Lease
  /** Both clocks when the last renewal that was answered had been sent. */
  renewedAt: Moment
  expiry: Timer | undefined
  why: string
}

interface Moment {
  monotonic: number
  wall: number
}

class LeaseElection implements LeaderElection {
  readonly identity: string
  readonly #options: LeaderElectionOptions
  readonly #env: Env
  readonly #candidate: Candidate
  readonly #renewDeadlineMs: number
  readonly #retryPeriodMs: number
  readonly #stopping = new AbortController()
  readonly #loop: Promise<void>
  #seen: SeenLease | undefined
  #term: Term | undefined
  #leader: string | undefined
  /** The last error that was logged, so that one that lasts is said once. */
  #told: string | undefined
  #workEnded: Promise<void> = Promise.resolve()

  constructor(options: LeaderElectionOptions) {
    const { namespace, name, leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options
    if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs)) {
      throw new TerminalFailure('kube-election-durations', {
        what: `the durations of the election for ${namespace}/${name} cannot keep two leaders apart`,
        why: `lease ${leaseDurationMs} ms, renew deadline ${renewDeadlineMs} ms, retry period ${retryPeriodMs} ms`,
        todo: 'Choose each greater than the next',
      })
    }
    this.#options = options
    this.#env = options.env ?? systemEnv
    this.identity = `${options.identity}_${uuid(this.#env.random)}`
    this.#candidate = { namespace, name, identity: this.identity, leaseDurationMs }
    this.#renewDeadlineMs = renewDeadlineMs
    this.#retryPeriodMs = retryPeriodMs
    this.#loop = this.#run()
  }

  state(): ElectionState {
    const term = this.#term
    if (term && this.#isValid(term)) return { state: 'leading', leadership: this.#leadership(term) }
    return this.#stopping.signal.aborted ? { state: 'stopped' } : { state: 'following', leader: this.#leader }
  }

  isLeader(): boolean {
    return this.#term !== undefined && this.#isValid(this.#term)
  }

  leader(): string | undefined {
    return this.#leader
  }

  fence(): number {
    if (!this.#term) throw new LeadershipLost('it has not been elected')
    return this.#leadership(this.#term).fence()
  }

  async stop(): Promise<void> {
    if (this.#stopping.signal.aborted) return this.#loop
    const lease = this.#term?.lease
    this.#endTerm('it withdrew')
    this.#stopping.abort()
    await this.#loop
    await this.#workEnded
    if (lease) await this.#release(lease)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        await (this.#term ? this.#renew(this.#term) : this.#acquire())
        this.#told = undefined
      } catch (thrown) {
        this.#tell(asError(thrown))
      }
      if (this.#term && !this.#isValid(this.#term)) this.#endTerm('the lease could not be renewed in time')
      const pause = this.#retryPeriodMs * (1 + 0.2 * this.#env.random.next())
      // The only rejection is the abort, which ends the loop.
      await delay(this.#env.clock, pause, signal).catch(() => {})
    }
  }

  async #acquire(): Promise<void> {
    await this.#look()
    const sentAt = this.#moment()
    const claim = planClaim(this.#seen, this.#candidate, sentAt)
    if (claim.type === 'wait') return
    const { client } = this.#options
    try {
      const lease = await this.#request(signal =>
        claim.type === 'create' ? client.create(claim.lease, { signal }) : client.update(claim.lease, { signal }),
      )
      this.#see(lease)
      if (!this.#stopping.signal.aborted) this.#beginTerm({ epoch: claim.epoch, lease, renewedAt: sentAt })
    } catch (error) {
      // Another candidate was quicker: who, the next look tells.
      if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error
    }
  }

  async #look(): Promise<void> {
    const { client, namespace, name } = this.#options
    try {
      this.#see(await this.#request(signal => client.get<Lease>(leaseRef(namespace, name), { signal })))
    } catch (error) {
      if (!isNotFound(error)) throw error
      // Its holder may have renewed it after we last saw it: count anew from here.
      if (this.#seen && !this.#seen.isDeleted)
        this.#seen = { lease: this.#seen.lease, since: this.#env.clock.monotonic(), isDeleted: true }
    }
  }

  #see(lease: Lease): void {
    const known = this.#seen
    const isSame = known && !known.isDeleted && known.lease.metadata.resourceVersion === lease.metadata.resourceVersion
    if (!isSame) this.#seen = { lease, since: this.#env.clock.monotonic(), isDeleted: false }
    const holder = lease.spec?.holderIdentity
    const leader = holder === '' ? undefined : holder
    if (leader === this.#leader) return
    this.#leader = leader
    void this.#call('onNewLeader', () => this.#options.onNewLeader?.(leader))
  }

  async #renew(term: Term): Promise<void> {
    const sentAt = this.#moment()
    try {
      const lease = await this.#request(signal =>
        this.#options.client.update(renewed(term.lease, sentAt.wall), { signal }),
      )
      this.#see(lease)
      if (this.#term !== term) return
      term.lease = lease
      term.renewedAt = sentAt
      this.#armExpiry(term)
    } catch (error) {
      if (isNotFound(error)) return this.#endTerm('the lease was deleted')
      if (!isConflict(error)) throw error
      await this.#renewOverConflict(term)
    }
  }

  /** Somebody wrote the lease: another holder, or this one in a request that seemed to fail, or a person who labelled it. */
  async #renewOverConflict(term: Term): Promise<void> {
    await this.#look()
    const { lease, isDeleted } = this.#seen ?? { lease: term.lease, isDeleted: true }
    const { holderIdentity, leaseTransitions } = lease.spec ?? {}
    const isOurs = !isDeleted && holderIdentity === this.identity && leaseTransitions === term.epoch
    if (isOurs) term.lease = lease
    else this.#endTerm('another candidate holds the lease')
  }

  #beginTerm({ epoch, lease, renewedAt }: { epoch: number; lease: Lease; renewedAt: Moment }): void {
    const term: Term = { epoch, lease, renewedAt, end: new AbortController(), expiry: undefined, why: '' }
    // The answer may have taken longer than the term it grants.
    if (!this.#isValid(term)) return
    this.#term = term
    this.#armExpiry(term)
    this.#env.log.info('started leading', { ...this.#fields(), epoch })
    void this.#call('onStartedLeading', () => this.#options.onStartedLeading?.(this.#leadership(term)))
  }

  #endTerm(why: string): void {
    const term = this.#term
    if (!term) return
    this.#term = undefined
    term.expiry?.cancel()
    term.why = why
    const lost = new LeadershipLost(why)
    term.end.abort(lost)
    this.#env.log.info('stopped leading', { ...this.#fields(), epoch: term.epoch, why })
    this.#workEnded = this.#call('onStoppedLeading', () => this.#options.onStoppedLeading?.(lost))
  }

  #armExpiry(term: Term): void {
    term.expiry?.cancel()
    const left = term.renewedAt.monotonic + this.#renewDeadlineMs - this.#env.clock.monotonic()
    term.expiry = this.#env.clock.schedule(Math.max(0, Math.ceil(left)), () => {
      if (this.#term !== term) return
      if (this.#isValid(term)) this.#armExpiry(term)
      else this.#endTerm('the lease could not be renewed in time')
    })
  }

  /** The wall clock counts too: the monotonic one stands still while a machine sleeps. */
  #isValid({ renewedAt, end }: Term): boolean {
    const now = this.#moment()
    const elapsed = Math.max(now.monotonic - renewedAt.monotonic, now.wall - renewedAt.wall)
    return !end.signal.aborted && elapsed < this.#renewDeadlineMs
  }

  #leadership(term: Term): Leadership {
    const isValid = () => this.#isValid(term)
    return {
      epoch: term.epoch,
      signal: term.end.signal,
      isValid,
      fence: () => {
        if (isValid()) return term.epoch
        throw new LeadershipLost(term.why === '' ? 'the lease could not be renewed in time' : term.why)
      },
    }
  }

  async #release(lease: Lease): Promise<void> {
    const { client, namespace, name } = this.#options
    const giveBack = (held: Lease) =>
      this.#request(signal => client.update(released(held, this.#env.clock.now()), { signal }), false)
    try {
      await giveBack(lease).catch(async error => {
        if (!isConflict(error)) throw error
        // A last renewal that seemed to fail may have been the conflict.
        const held = await this.#request(signal => client.get<Lease>(leaseRef(namespace, name), { signal }), false)
        if (held.spec?.holderIdentity === this.identity) await giveBack(held)
      })
    } catch (thrown) {
      // Nobody waits longer than the lease lasts.
      this.#env.log.warn('the lease could not be released', { ...this.#fields(), error: asError(thrown) })
    }
  }

  /** A request that hangs must leave time for another before the deadline. What it may still do later is harmless: no term
   *  is based on a request that was given up. */
  async #request<T>(send: (signal: AbortSignal) => Promise<T>, endsWithStop = true): Promise<T> {
    const abort = new AbortController()
    const giveUp = () => abort.abort(new Error('no answer in time'))
    const timer = this.#env.clock.schedule(this.#renewDeadlineMs / 2, giveUp)
    if (endsWithStop) this.#stopping.signal.addEventListener('abort', giveUp)
    try {
      const gaveUp = new Promise<never>((_, reject) => {
        abort.signal.addEventListener('abort', () => reject(abort.signal.reason))
        if (endsWithStop && this.#stopping.signal.aborted) giveUp()
      })
      return await Promise.race([send(abort.signal), gaveUp])
    } finally {
      timer.cancel()
      this.#stopping.signal.removeEventListener('abort', giveUp)
    }
  }

  /** What a callback throws must not end the election. */
  async #call(name: string, callback: () => void | Promise<void>): Promise<void> {
    try {
      await callback()
    } catch (thrown) {
      this.#env.log.error('a callback of the election threw', {
        ...this.#fields(),
        callback: name,
        error: asError(thrown),
      })
    }
  }

  #tell(error: Error): void {
    if (error.message === this.#told || this.#stopping.signal.aborted) return
    this.#told = error.message
    this.#env.log.warn('the lease cannot be reached', { ...this.#fields(), error })
  }

  #fields() {
    const { namespace, name, identity } = this.#candidate
    return { lease: `${namespace}/${name}`, identity }
  }

  #moment(): Moment {
    return { monotonic: this.#env.clock.monotonic(), wall: this.#env.clock.now() }
  }
}

function leaseRef(namespace: string, name: string) {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name }
}
