import { VERDICT_NUMBERS } from '../ingest/vocabulary.ts'
import type { Database } from './database.ts'
import { fillCounts, recountFailed } from './fill-counts.ts'
import { fillScheduledTimes } from './fill-scheduled-times.ts'
import { refreshSums } from './refresh-sums.ts'
import { LOGS } from './tables.ts'

/** One step from a schema to the next. Never changed once released: a new step is added. */
export interface Migration {
  readonly version: number
  /** `INT` and `BYTES` stand for the types of whole numbers and of content. */
  readonly statements: readonly string[]
  readonly sqlite?: readonly string[]
  readonly postgres?: readonly string[]
  /** What statements alone cannot do; in the same transaction. */
  readonly fill?: (database: Database) => Promise<void>
}

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    statements: [
      `CREATE TABLE packs (id INT PRIMARY KEY, type INT NOT NULL, first INT NOT NULL, last INT NOT NULL, used INT NOT NULL,
        raw INT NOT NULL, sum INT NOT NULL, data BYTES NOT NULL)`,
      'CREATE INDEX packs_used ON packs (used)',
      'CREATE INDEX packs_records ON packs (first) WHERE type = 0',
      `CREATE TABLE records (id INT PRIMARY KEY, kind INT NOT NULL, at INT NOT NULL, trace INT, run INT, object INT,
        scope INT, pack INT NOT NULL, start INT NOT NULL, size INT NOT NULL, sum INT NOT NULL)`,
      // What belongs to a run is found by it.
      'CREATE INDEX records_trace ON records (trace, id) WHERE trace IS NOT NULL AND run IS NULL',
      'CREATE INDEX records_run ON records (run, id) WHERE run IS NOT NULL',
      'CREATE INDEX records_rare ON records (kind, id) WHERE kind >= 8',
      `CREATE TABLE payloads (hash TEXT PRIMARY KEY, pack INT NOT NULL, start INT NOT NULL, size INT NOT NULL,
        sum INT NOT NULL)`,
      'CREATE INDEX payloads_pack ON payloads (pack)',
      'CREATE TABLE traces (id INT PRIMARY KEY, trace TEXT NOT NULL, sum INT NOT NULL)',
      'CREATE UNIQUE INDEX traces_trace ON traces (trace)',
      `CREATE TABLE parts (id INT PRIMARY KEY, type TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
        part TEXT NOT NULL, sum INT NOT NULL)`,
      'CREATE UNIQUE INDEX parts_name ON parts (type, namespace, name, part)',
      'CREATE TABLE scopes (id INT PRIMARY KEY, kind TEXT NOT NULL, namespace TEXT NOT NULL, sum INT NOT NULL)',
      'CREATE UNIQUE INDEX scopes_kind ON scopes (kind, namespace)',
      `CREATE TABLE objects (id INT PRIMARY KEY, version TEXT NOT NULL, kind TEXT NOT NULL, namespace TEXT NOT NULL,
        name TEXT NOT NULL, uid TEXT NOT NULL, scope INT NOT NULL, events INT NOT NULL, writes INT NOT NULL,
        first_at INT NOT NULL, last_at INT NOT NULL, last_verb TEXT, is_deleted INT NOT NULL, changed INT NOT NULL,
        sum INT NOT NULL)`,
      'CREATE UNIQUE INDEX objects_name ON objects (kind, namespace, name, uid)',
      'CREATE INDEX objects_changed ON objects (changed)',
      `CREATE TABLE events (id INT PRIMARY KEY, at INT NOT NULL, trace INT NOT NULL, source INT NOT NULL, bus INT,
        type TEXT NOT NULL, change TEXT, object INT, version TEXT, key TEXT, replay_of INT, scope INT NOT NULL,
        verdict INT NOT NULL, runs INT NOT NULL, failed_runs INT NOT NULL, bytes INT NOT NULL, rest_hash TEXT, body_hash TEXT, old_hash TEXT,
        changed INT NOT NULL, sum INT NOT NULL)`,
      'CREATE UNIQUE INDEX events_trace ON events (trace)',
      'CREATE INDEX events_source ON events (source, id)',
      'CREATE INDEX events_object ON events (object, id) WHERE object IS NOT NULL',
      'CREATE INDEX events_verdict ON events (verdict, id)',
      'CREATE INDEX events_scope ON events (scope, id)',
      'CREATE INDEX events_at ON events (at)',
      'CREATE INDEX events_changed ON events (changed)',
      'CREATE INDEX events_replay ON events (replay_of) WHERE replay_of IS NOT NULL',
      `CREATE TABLE outcomes (trace INT NOT NULL, trigger_part INT NOT NULL, state INT NOT NULL, action TEXT, attempt INT,
        at INT NOT NULL, reason TEXT, message TEXT, fingerprint TEXT, object INT, scope INT NOT NULL, changed INT NOT NULL,
        sum INT NOT NULL, PRIMARY KEY (trace, trigger_part))`,
      'CREATE INDEX outcomes_action ON outcomes (action) WHERE action IS NOT NULL',
      'CREATE INDEX outcomes_open ON outcomes (state, changed, trigger_part, scope) WHERE state >= 5',
      `CREATE TABLE runs (id INT PRIMARY KEY, uid TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL, trace INT,
        phase TEXT NOT NULL, message TEXT, action TEXT, trigger_part INT, template INT, object INT, scope INT NOT NULL,
        at INT NOT NULL, started_at INT, finished_at INT, progress TEXT, steps TEXT NOT NULL, fingerprint TEXT, repeats TEXT,
        changed INT NOT NULL, sum INT NOT NULL)`,
      'CREATE UNIQUE INDEX runs_uid ON runs (uid)',
      'CREATE INDEX runs_name ON runs (namespace, name, id)',
      'CREATE INDEX runs_phase ON runs (phase, id)',
      'CREATE INDEX runs_trace ON runs (trace) WHERE trace IS NOT NULL',
      'CREATE INDEX runs_object ON runs (object, id) WHERE object IS NOT NULL',
      'CREATE INDEX runs_template ON runs (template, id) WHERE template IS NOT NULL',
      'CREATE INDEX runs_scope ON runs (scope, id)',
      'CREATE INDEX runs_at ON runs (at)',
      'CREATE INDEX runs_changed ON runs (changed)',
      'CREATE INDEX runs_fingerprint ON runs (fingerprint, id) WHERE fingerprint IS NOT NULL',
      `CREATE TABLE steps (run INT NOT NULL, step TEXT NOT NULL, phase TEXT NOT NULL, first INT NOT NULL, last INT NOT NULL,
        sum INT NOT NULL, PRIMARY KEY (run, step))`,
      `CREATE TABLE logs (run INT NOT NULL, step TEXT NOT NULL, container TEXT NOT NULL, number INT NOT NULL, record INT NOT NULL,
        before INT NOT NULL, ends INT NOT NULL, bytes INT NOT NULL, pack INT, start INT, sum INT NOT NULL,
        PRIMARY KEY (run, step, container, number))`,
      'CREATE INDEX logs_record ON logs (record)',
      `CREATE TABLE writes (id INT PRIMARY KEY, at INT NOT NULL, trace INT, object INT NOT NULL, version TEXT NOT NULL,
        verb TEXT NOT NULL, outcome TEXT NOT NULL, actor TEXT, run INT, scope INT NOT NULL, sum INT NOT NULL)`,
      'CREATE INDEX writes_version ON writes (object, version)',
      'CREATE INDEX writes_object ON writes (object, id)',
      'CREATE INDEX writes_trace ON writes (trace) WHERE trace IS NOT NULL',
      'CREATE INDEX writes_scope ON writes (scope, id)',
      `CREATE TABLE conditions (object INT NOT NULL, condition TEXT NOT NULL, status TEXT NOT NULL, was TEXT,
        reason TEXT NOT NULL, message TEXT, at INT NOT NULL, trace INT, scope INT NOT NULL, record INT NOT NULL,
        sum INT NOT NULL, PRIMARY KEY (object, condition))`,
      `CREATE TABLE audits (id INT PRIMARY KEY, at INT NOT NULL, who TEXT NOT NULL, did TEXT NOT NULL, outcome TEXT NOT NULL,
        target TEXT NOT NULL, scope INT, sum INT NOT NULL)`,
      `CREATE TABLE flows (minute INT NOT NULL, from_part INT NOT NULL, to_part INT NOT NULL, scope INT NOT NULL,
        count INT NOT NULL, errors INT NOT NULL, last_at INT NOT NULL, sum INT NOT NULL, PRIMARY KEY (minute, from_part, to_part, scope))`,
      `CREATE TABLE counts (minute INT NOT NULL, name TEXT NOT NULL, scope INT NOT NULL, count INT NOT NULL,
        sum INT NOT NULL, PRIMARY KEY (minute, name, scope))`,
    ],
    // The words of a record are kept in the index alone: the text itself is in its pack.
    sqlite: [`CREATE VIRTUAL TABLE docs USING fts5(words, content='', contentless_delete=1, tokenize=ascii)`],
    postgres: [
      'CREATE TABLE docs (id INT PRIMARY KEY, words TSVECTOR NOT NULL)',
      'CREATE INDEX docs_words ON docs USING gin (words) WITH (fastupdate = on, gin_pending_list_limit = 2048)',
    ],
  },
  {
    version: 2,
    statements: [
      // A run is asked for by its name alone, too.
      'DROP INDEX runs_name',
      'CREATE INDEX runs_name ON runs (name, namespace, id)',
      // What groups of failures are made of, without their rows.
      'CREATE INDEX runs_failed ON runs (id, fingerprint, phase, at, scope) WHERE fingerprint IS NOT NULL',
      `CREATE INDEX outcomes_parked ON outcomes (changed, fingerprint, trigger_part, action, at, scope) WHERE state = ${VERDICT_NUMBERS.parked}`,
      // How many are open is kept in `counts`.
      'DROP INDEX outcomes_open',
    ],
    fill: fillCounts,
  },
  {
    version: 3,
    // What was retried before this was counted says nothing of it. The seventh sums the rows up, with a column more.
    statements: ['ALTER TABLE runs ADD COLUMN attempt INT NOT NULL DEFAULT 1'],
  },
  {
    version: 4,
    statements: [],
    // The words of a batch become one piece of the index, and not several that have to be merged.
    sqlite: [`INSERT INTO docs (docs, rank) VALUES ('hashsize', ${8 * 2 ** 20})`],
  },
  {
    version: 5,
    // Whose output it is and how far it goes: what an engine that starts anew reads again is known by that.
    statements: ['ALTER TABLE logs ADD COLUMN pod TEXT', 'ALTER TABLE logs ADD COLUMN upto INT'],
    fill: refreshSums(LOGS, 'record'),
  },
  {
    version: 6,
    statements: [
      // The newest of an object by time: what was imported is older than its number says.
      'CREATE INDEX events_newest ON events (object, at, id) WHERE object IS NOT NULL',
      'CREATE INDEX writes_newest ON writes (object, at, id)',
    ],
  },
  {
    version: 7,
    // For which time a run was made is told from now on; of those before, their names tell it.
    statements: ['ALTER TABLE runs ADD COLUMN scheduled_at INT'],
    fill: async database => {
      await recountFailed(database)
      await fillScheduledTimes(database)
    },
  },
]

export const SCHEMA_VERSION = MIGRATIONS.length

/** The statements of a migration, in the words of a database. */
export function statementsOf(migration: Migration, dialect: 'sqlite' | 'postgres'): string[] {
  const [int, bytes] = dialect === 'sqlite' ? ['INTEGER', 'BLOB'] : ['BIGINT', 'BYTEA']
  return [...migration.statements, ...(migration[dialect] ?? [])].map(statement =>
    statement.replaceAll(/\bINT\b/g, int).replaceAll(/\bBYTES\b/g, bytes),
  )
}
