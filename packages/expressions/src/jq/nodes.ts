import { JqError, keyNotString, typePreview } from './errors.ts'
import {
  AnyErrorHandler,
  BreakSignal,
  CallFrame,
  type Choice,
  checkIntact,
  type Env,
  type Frame,
  type Handler,
  isIntact,
  keysOf,
  Label,
  LabelChoice,
  type Machine,
  type Node,
  NodeFrame,
  PassedTry,
  Saved,
  type Trail,
} from './machine.ts'
import { deletePaths, getPath, index, type Owned, setPath, slice } from './paths.ts'
import { ancestor } from './scope.ts'
import { checkItems } from './sizes.ts'
import { isObject, isTruthy, type JqValue, newObject, sortedKeys } from './value.ts'

export const identityNode: Node = { run() {}, direct: (_env, value) => value }

export const emptyNode: Node = { run: machine => machine.backtrack() }

export function literalNode(value: JqValue): Node {
  return directNode(() => value)
}

function directNode(direct: NonNullable<Node['direct']>): Node {
  return {
    run(machine) {
      machine.value = direct(machine.env, machine.value, machine)
    },
    direct,
  }
}

export function variableNode(distance: number): Node {
  return directNode(env => ancestor(env, distance)?.item as JqValue)
}

export function pipeNode(left: Node, right: Node): Node {
  const [leftDirect, rightDirect] = [left.direct, right.direct]
  return {
    run(machine) {
      machine.frame = new NodeFrame(machine.frame, right, machine.env)
      left.run(machine)
    },
    ...(leftDirect === undefined || rightDirect === undefined
      ? {}
      : { direct: (env, value, machine) => rightDirect(env, leftDirect(env, value, machine), machine) }),
  }
}

/** Goes on with a node where the machine was. */
class Alternative implements Choice {
  readonly #saved: Saved
  readonly #node: Node

  constructor(machine: Machine, node: Node) {
    this.#saved = new Saved(machine)
    this.#node = node
  }

  retry(machine: Machine): void {
    this.#saved.restore(machine)
    this.#node.run(machine)
  }
}

export function commaNode(left: Node, right: Node): Node {
  return {
    run(machine) {
      machine.choose(new Alternative(machine, right))
      left.run(machine)
    },
  }
}

/** Runs a node beside the path that is being followed, and hands its outputs over with the machine as it was. */
export function evaluateAside(machine: Machine, node: Node, use: (output: JqValue) => void): void {
  const saved = new Saved(machine)
  if (node.direct !== undefined) {
    use(node.direct(machine.env, machine.value, machine))
    return
  }
  machine.trail = undefined
  machine.frame = new CallFrame(saved.frame, () => {
    const output = machine.value
    saved.restore(machine)
    use(output)
  })
  node.run(machine)
}

/** The same on the path itself: what the node does to the trail stays. */
function evaluateOnTrail(machine: Machine, node: Node, use: (output: JqValue) => void): void {
  if (machine.trail === undefined) {
    evaluateAside(machine, node, use)
    return
  }
  const { value, env, frame } = machine
  machine.frame = new CallFrame(frame, () => {
    const output = machine.value
    machine.value = value
    machine.env = env
    machine.frame = frame
    use(output)
  })
  node.run(machine)
}

/** Calls with all combinations of the arguments' outputs; the first argument changes fastest. */
export function nativeNode(args: Node[], apply: (value: JqValue, args: JqValue[], machine: Machine) => JqValue): Node {
  const directs = args.map(arg => arg.direct).filter(direct => direct !== undefined)
  const evaluate = (machine: Machine, position: number, values: JqValue[]): void => {
    if (position < 0) {
      machine.value = apply(machine.value, values, machine)
      return
    }
    evaluateOnTrail(machine, args[position] as Node, output => {
      const extended = values.slice()
      extended[position] = output
      evaluate(machine, position - 1, extended)
    })
  }
  return {
    run: machine =>
      evaluate(
        machine,
        args.length - 1,
        args.map(() => null),
      ),
    ...(directs.length < args.length
      ? {}
      : {
          direct: (env, value, machine) => {
            machine.spend(1)
            return apply(
              value,
              directs.map(direct => direct(env, value, machine)),
              machine,
            )
          },
        }),
  }
}

function extendTrail(machine: Machine, from: JqValue, key: JqValue, value: JqValue): void {
  if (machine.trail === undefined) return
  checkIntact(from, machine.trail)
  machine.trail = { parent: machine.trail, key, value }
}

export function indexNode(target: Node, key: Node): Node {
  const [targetDirect, keyDirect] = [target.direct, key.direct]
  return {
    run(machine) {
      evaluateAside(machine, key, found => {
        machine.frame = new CallFrame(machine.frame, () => {
          const from = machine.value
          machine.value = index(from, found)
          extendTrail(machine, from, found, machine.value)
        })
        target.run(machine)
      })
    },
    ...(targetDirect === undefined || keyDirect === undefined
      ? {}
      : {
          direct: (env, value, machine) => index(targetDirect(env, value, machine), keyDirect(env, value, machine)),
        }),
  }
}

export function sliceNode(target: Node, from: Node, to: Node): Node {
  return {
    run(machine) {
      evaluateAside(machine, from, start => {
        evaluateAside(machine, to, end => {
          machine.frame = new CallFrame(machine.frame, () => {
            const value = machine.value
            machine.value = slice(value, start, end)
            const key = newObject()
            key.start = start
            key.end = end
            extendTrail(machine, value, key, machine.value)
          })
          target.run(machine)
        })
      })
    },
  }
}

export function getPathNode(path: Node): Node {
  return {
    run(machine) {
      evaluateAside(machine, path, keys => {
        const from = machine.value
        machine.value = getPath(from, keys)
        if (machine.trail === undefined) return
        checkIntact(from, machine.trail)
        for (const key of keys as JqValue[])
          machine.trail = { parent: machine.trail, key, value: machine.value } satisfies Trail
      })
    },
  }
}

/** Values one after the other, each with its key where a path is followed. */
class Iteration implements Choice {
  readonly #values: readonly JqValue[]
  readonly #keys: readonly string[] | undefined
  readonly #trail: Trail | undefined
  readonly #frame: Frame | undefined
  #position = 0

  constructor(machine: Machine, values: readonly JqValue[], keys?: readonly string[]) {
    this.#values = values
    this.#keys = keys
    this.#trail = machine.trail
    this.#frame = machine.frame
  }

  retry(machine: Machine): void {
    const position = this.#position++
    if (this.#position < this.#values.length) machine.choose(this)
    const value = this.#values[position] as JqValue
    machine.value = value
    machine.frame = this.#frame
    const key = this.#keys?.[position] ?? BigInt(position)
    machine.trail = this.#trail === undefined ? undefined : { parent: this.#trail, key, value }
  }
}

export function iterateNode(target: Node): Node {
  const iterate = (machine: Machine) => {
    const { value, trail } = machine
    if (!Array.isArray(value) && !isObject(value)) throw new JqError(`cannot iterate over: ${typePreview(value)}`)
    if (trail !== undefined && !isIntact(value, trail))
      throw new JqError(`invalid path on iterating against: ${typePreview(value)}`)
    const keys = Array.isArray(value) ? undefined : sortedKeys(value)
    const values = Array.isArray(value) ? value : (keys as string[]).map(key => value[key] as JqValue)
    if (values.length === 0) machine.backtrack()
    else new Iteration(machine, values, keys).retry(machine)
  }
  return {
    run(machine) {
      machine.frame = new CallFrame(machine.frame, iterate)
      target.run(machine)
    },
  }
}

/** Outputs that are computed when they are wanted. */
export function generatorNode(args: Node[], generate: (args: JqValue[], machine: Machine) => Iterator<JqValue>): Node {
  return nativeGenerator(
    nativeNode(args, (_value, values) => values),
    generate,
  )
}

function nativeGenerator(args: Node, generate: (args: JqValue[], machine: Machine) => Iterator<JqValue>): Node {
  return {
    run(machine) {
      machine.frame = new CallFrame(machine.frame, () => {
        const outputs = generate(machine.value as JqValue[], machine)
        const { trail, frame } = machine
        const choice: Choice = {
          retry() {
            const output = outputs.next()
            if (output.done === true) {
              machine.backtrack()
              return
            }
            machine.value = output.value
            machine.trail = trail
            machine.frame = frame
            machine.choose(choice)
          },
        }
        choice.retry(machine)
      })
      args.run(machine)
    },
  }
}

export function arrayNode(items: Node): Node {
  const direct = items.direct
  return {
    run(machine) {
      const saved = new Saved(machine)
      const collected: JqValue[] = []
      machine.choose({
        retry() {
          saved.restore(machine)
          machine.value = collected
        },
      })
      machine.frame = new CallFrame(undefined, () => {
        checkItems(collected.length + 1)
        collected.push(machine.value)
        machine.backtrack()
      })
      items.run(machine)
    },
    ...(direct === undefined ? {} : { direct: (env, value, machine) => [direct(env, value, machine)] }),
  }
}

export interface FieldNodes {
  readonly key: Node
  readonly value: Node
}

export function objectNode(fields: FieldNodes[]): Node {
  const build = (keys: JqValue[], values: JqValue[]): JqValue => {
    const object = newObject()
    for (let position = keys.length - 1; position >= 0; position--) {
      const key = keys[position] as JqValue
      if (typeof key !== 'string') throw keyNotString(key)
      if (!Object.hasOwn(object, key)) object[key] = values[position] as JqValue
    }
    return object
  }
  const evaluate = (machine: Machine, position: number, keys: JqValue[], values: JqValue[]): void => {
    const field = fields[position]
    if (field === undefined) {
      machine.value = build(keys, values)
      return
    }
    evaluateOnTrail(machine, field.key, key => {
      evaluateOnTrail(machine, field.value, value =>
        evaluate(machine, position + 1, [...keys, key], [...values, value]),
      )
    })
  }
  const isDirect = fields.every(({ key, value }) => key.direct !== undefined && value.direct !== undefined)
  return {
    run: machine => evaluate(machine, 0, [], []),
    ...(isDirect
      ? {
          direct: (env, value, machine) => {
            const keys = fields.map(field => (field.key.direct as NonNullable<Node['direct']>)(env, value, machine))
            const values = fields.map(field => (field.value.direct as NonNullable<Node['direct']>)(env, value, machine))
            return build(keys, values)
          },
        }
      : {}),
  }
}

export function ifNode(condition: Node, then: Node, otherwise: Node): Node {
  const directs = [condition.direct, then.direct, otherwise.direct] as const
  const [test, yes, no] = directs
  return {
    run: machine => evaluateAside(machine, condition, output => (isTruthy(output) ? then : otherwise).run(machine)),
    ...(test === undefined || yes === undefined || no === undefined
      ? {}
      : { direct: (env, value, machine) => (isTruthy(test(env, value, machine)) ? yes : no)(env, value, machine) }),
  }
}

export function alternativeNode(left: Node, right: Node): Node {
  return {
    run(machine) {
      const saved = new Saved(machine)
      let isFound = false
      machine.choose({
        retry() {
          if (isFound) {
            machine.backtrack()
            return
          }
          saved.restore(machine)
          right.run(machine)
        },
      })
      machine.frame = new CallFrame(machine.frame, () => {
        if (isTruthy(machine.value)) isFound = true
        else machine.backtrack()
      })
      left.run(machine)
    },
  }
}

export function tryNode(body: Node, handler: Node | undefined): Node {
  return {
    run(machine) {
      const saved = new Saved(machine)
      const attempt: Handler = {
        retry: () => machine.backtrack(),
        handle(_machine, error) {
          if (handler === undefined) {
            machine.backtrack()
            return
          }
          saved.restore(machine)
          machine.value = error.value
          handler.run(machine)
        },
      }
      machine.choose(attempt)
      machine.frame = new CallFrame(machine.frame, () => machine.choose(new PassedTry(attempt)))
      body.run(machine)
    },
  }
}

/** Binds the variables of a pattern to a value: hands the environment on, once for every way to bind them. */
export type Binder = (machine: Machine, value: JqValue, use: () => void) => void

export function bindNode(source: Node, binders: Binder[], body: Node): Node {
  const bind = (machine: Machine, value: JqValue, position: number): void => {
    const binder = binders[position] as Binder
    if (position < binders.length - 1) {
      const saved = new Saved(machine)
      machine.choose(
        new AnyErrorHandler(() => {
          saved.restore(machine)
          bind(machine, value, position + 1)
        }),
      )
    }
    binder(machine, value, () => body.run(machine))
  }
  return { run: machine => evaluateAside(machine, source, value => bind(machine, value, 0)) }
}

export function reduceNode(source: Node, binder: Binder, initial: Node, update: Node): Node {
  return {
    run: machine =>
      evaluateOnTrail(machine, initial, first => {
        const saved = new Saved(machine)
        let state = first
        machine.choose({
          retry() {
            saved.restore(machine)
            machine.value = state
          },
        })
        machine.frame = undefined
        evaluateOnTrail(machine, source, item =>
          binder(machine, item, () => {
            machine.value = state
            machine.frame = new CallFrame(undefined, () => {
              state = machine.value
              machine.backtrack()
            })
            update.run(machine)
          }),
        )
      }),
  }
}

export function foreachNode(source: Node, binder: Binder, initial: Node, update: Node, extract: Node): Node {
  return {
    run: machine =>
      evaluateOnTrail(machine, initial, first => {
        let state = first
        evaluateOnTrail(machine, source, item =>
          binder(machine, item, () => {
            const env = machine.env
            machine.value = state
            machine.frame = new CallFrame(machine.frame, () => {
              state = machine.value
              machine.env = env
              extract.run(machine)
            })
            update.run(machine)
          }),
        )
      }),
  }
}

export function labelNode(name: string, body: Node): Node {
  return {
    run(machine) {
      const label = new Label(name)
      machine.choose(new LabelChoice(label))
      machine.env = { item: label, parent: machine.env }
      body.run(machine)
    },
  }
}

export function breakNode(distance: number): Node {
  return {
    run(machine) {
      throw new BreakSignal(ancestor(machine.env, distance)?.item as Label)
    },
  }
}

/** The last output alone, where there is one. */
export function lastNode(outputs: Node): Node {
  return {
    run(machine) {
      const saved = new Saved(machine)
      let last: { value: JqValue } | undefined
      machine.choose({
        retry() {
          if (last === undefined) {
            machine.backtrack()
            return
          }
          saved.restore(machine)
          machine.value = last.value
        },
      })
      machine.frame = new CallFrame(undefined, () => {
        last = { value: machine.value }
        machine.backtrack()
      })
      outputs.run(machine)
    },
  }
}

/** Hands over the keys of every path that the node takes from the machine's value. */
function followPaths(machine: Machine, paths: Node, use: (keys: JqValue[]) => void): void {
  const saved = new Saved(machine)
  machine.trail = { value: machine.value }
  machine.frame = new CallFrame(saved.frame, () => {
    const trail = machine.trail as Trail
    checkIntact(machine.value, trail)
    saved.restore(machine)
    use(keysOf(trail))
  })
  paths.run(machine)
}

export function pathNode(paths: Node): Node {
  return {
    run: machine =>
      followPaths(machine, paths, keys => {
        machine.value = keys
      }),
  }
}

/** `paths = replacement`, once for every output of the replacement. */
export function assignNode(paths: Node, replacement: Node): Node {
  return {
    run: machine =>
      evaluateAside(machine, replacement, value => {
        const saved = new Saved(machine)
        const owned: Owned = new Set()
        let state = machine.value
        machine.choose({
          retry() {
            saved.restore(machine)
            machine.value = state
          },
        })
        followPaths(machine, paths, keys => {
          state = setPath(state, keys, value, owned)
          machine.backtrack()
        })
      }),
  }
}

/** `paths |= change`: the first output replaces, none deletes. */
export function modifyNode(paths: Node, change: Node): Node {
  return {
    run(machine) {
      const saved = new Saved(machine)
      const owned: Owned = new Set()
      const deletions: JqValue[] = []
      let state = machine.value
      machine.choose({
        retry() {
          saved.restore(machine)
          machine.value = deletePaths(state, deletions, owned)
        },
      })
      followPaths(machine, paths, keys => {
        const mark = machine.choices.length
        machine.choose({
          retry() {
            deletions.push(keys)
            machine.backtrack()
          },
        })
        machine.value = getPath(state, keys)
        machine.trail = undefined
        machine.frame = new CallFrame(undefined, () => {
          machine.choices.length = mark
          state = setPath(state, keys, machine.value, owned)
          machine.backtrack()
        })
        change.run(machine)
      })
    },
  }
}

/** `.a.b = replacement` with keys that are known beforehand. */
export function setPathNode(keys: JqValue[], replacement: Node): Node {
  return {
    run: machine =>
      evaluateOnTrail(machine, replacement, value => {
        machine.value = setPath(machine.value, keys, value)
      }),
  }
}

/** Enters a function by way of the machine's own list, so that recursion costs no stack. */
export function enter(machine: Machine, node: Node, env: Env | undefined): void {
  machine.frame = new NodeFrame(machine.frame, node, env)
}
