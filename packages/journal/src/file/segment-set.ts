import type { File, FileSystem } from './file-system.ts'
import { Gate } from './gate.ts'
import type { Segment } from './segment.ts'
import type { OpenSegment } from './segment-maker.ts'

/** The segments of an open journal. Writing happens in the last one; compaction replaces the first ones. */
export class SegmentSet {
  readonly #fileSystem: FileSystem
  readonly #gate = new Gate()
  #segments: Segment[]
  #activeFile: File

  constructor(fileSystem: FileSystem, segments: Segment[], activeFile: File) {
    this.#fileSystem = fileSystem
    this.#segments = segments
    this.#activeFile = activeFile
  }

  get active(): Segment {
    return this.#segments.at(-1) as Segment
  }

  get activeFile(): File {
    return this.#activeFile
  }

  /** Position of the last committed record. */
  get head(): number {
    return this.active.last
  }

  get horizon(): number {
    return (this.#segments[0] as Segment).horizon
  }

  has(segment: Segment): boolean {
    return this.#segments.includes(segment)
  }

  /** The segment that holds `position`, or would. */
  holding(position: number): Segment {
    return this.#segments.findLast(({ base }) => base <= position) ?? (this.#segments[0] as Segment)
  }

  /** The segments that hold a record before `position`. */
  before(position: number): Segment[] {
    return this.#segments.filter(({ base }) => base < position)
  }

  /** Runs `task` while no segment is replaced and no file closed. */
  undisturbed<T>(task: () => Promise<T>): Promise<T> {
    return this.#gate.share(task)
  }

  /** Calls `task` with the file of a segment. Only in an `undisturbed` task. */
  async withFile<T>(segment: Segment, task: (file: File) => Promise<T>): Promise<T> {
    if (segment === this.active) return task(this.#activeFile)
    const file = await this.#fileSystem.open(segment.path, 'read')
    try {
      return await task(file)
    } finally {
      await file.close()
    }
  }

  /** Makes a new segment the active one. */
  extend({ segment, file }: OpenSegment): void {
    const old = this.#activeFile
    this.#segments = [...this.before(segment.base), segment]
    this.#activeFile = file
    // A reader may still be in the old file. It has been synced, so that nothing depends on how its closing goes.
    void this.#gate.exclude(() => old.close()).catch(() => {})
  }

  /** Puts one segment in the place of the first ones while nobody reads; `swap` does so on disk. */
  replace(replaced: readonly Segment[], replacement: Segment, swap: () => Promise<void>): Promise<void> {
    return this.#gate.exclude(async () => {
      await swap()
      this.#segments = [replacement, ...this.#segments.filter(segment => !replaced.includes(segment))]
    })
  }

  close(): Promise<void> {
    return this.#gate.exclude(() => this.#activeFile.close())
  }
}
