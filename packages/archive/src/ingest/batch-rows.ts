import type {
  AuditRow,
  ConditionRow,
  EventRow,
  LogRow,
  ObjectRow,
  OutcomeRow,
  PayloadRow,
  RunRow,
  StepRow,
  WriteRow,
} from '../database/rows.ts'
import { DocTexts } from './doc-texts.ts'
import type { Ledger } from './ledger.ts'
import { type LoosePack, PACK_TYPES, Packer } from './packer.ts'
import { Register } from './register.ts'
import { Tally } from './tally.ts'

/** What is stored once, at the end of a batch: record after record changes the same few rows. */
export class BatchEnd {
  readonly tally = new Tally()
  /** Those that changed. */
  readonly objects = new Set<ObjectRow>()
  /** Packs of earlier batches that are needed again, and by which record last. */
  readonly used = new Map<number, number>()
  readonly docs = new DocTexts()
}

/** What some records of a batch add to the tables and change in them, and what is known of all that they touch. */
export class BatchRows {
  readonly ledger: Ledger
  /** The names that are new. */
  readonly register: Register
  readonly end: BatchEnd
  readonly tally: Tally
  readonly used: Map<number, number>
  /** Payloads and output. */
  readonly contents: Packer
  /** The records' own texts. */
  readonly texts: Packer
  readonly payloads: PayloadRow[] = []
  readonly writes: WriteRow[] = []
  readonly logs: LogRow[] = []
  readonly audits: AuditRow[] = []
  readonly events = new Set<EventRow>()
  readonly outcomes = new Set<OutcomeRow>()
  readonly runs = new Set<RunRow>()
  readonly steps = new Set<StepRow>()
  readonly conditions = new Set<ConditionRow>()
  /** Decisions are made for each trigger; what a bus hands to a sensor counts once. */
  readonly handed = new Set<string>()

  constructor(ledger: Ledger, end: BatchEnd) {
    const { tally, objects, used } = end
    this.ledger = ledger
    this.end = end
    this.tally = tally
    this.used = used
    this.register = new Register(ledger, objects)
    const nextPack = () => ++ledger.last.pack
    this.texts = new Packer(PACK_TYPES.records, nextPack)
    this.contents = new Packer(PACK_TYPES.contents, nextPack)
  }

  /** All packs, once everything was added. */
  packs(): LoosePack[] {
    return [...this.texts.finish(), ...this.contents.finish()]
  }
}

/** What a record turned out to be about. */
export interface About {
  run?: number
  object?: number
  scope?: number
  isFirst?: boolean
}
