import type { Recorder } from '@tiphys/journal/records'

/** Pods that have printed something whose record is on its way to stable storage. Until it is there they are held: whoever comes after a
 *  crash reads their logs again. */
export class KeptLogs {
  readonly #recorder: Pick<Recorder, 'settled'>
  readonly #keeping = new Map<string, Promise<void>>()

  constructor(recorder: Pick<Recorder, 'settled'>) {
    this.#recorder = recorder
  }

  /** A piece of the pod's output was recorded just now. */
  note(uid: string): void {
    const kept = this.#recorder.settled({ isPatient: true }).then(() => {
      if (this.#keeping.get(uid) === kept) this.#keeping.delete(uid)
    })
    this.#keeping.set(uid, kept)
  }

  /** Resolves when what was recorded of the pod so far is kept; undefined when it is. */
  keeping(uid: string): Promise<void> | undefined {
    return this.#keeping.get(uid)
  }

  get size(): number {
    return this.#keeping.size
  }
}
