import { compileProgram } from './compiler.ts'
import { decodeFloats, encode } from './encoding.ts'
import { JqError, JqLimitError } from './errors.ts'
import { type JqLimits, Machine, type Node } from './machine.ts'
import { parse } from './parser.ts'
import { isObject, type JqValue } from './value.ts'

export interface JqOptions extends JqLimits {
  /** What `now` answers, in milliseconds since 1970. Without it the answer is always 0. */
  now?: () => number
  /** How many characters the output may have as JSON. */
  maxOutput?: number
}

const defaultMaxOutput = 1024 * 1024

/** A compiled program. It holds no state: it may run any number of times. */
export interface JqProgram {
  /** The outputs, computed as they are asked for. Throws JqError, JqLimitError. The input is not changed. */
  run(input: JqValue, options?: JqOptions): Generator<JqValue, void>
  /**
   * What Argo Events makes of an event: the first output, which must be an object, as JSON with sorted keys.
   * The numbers of the event are floating-point numbers.
   */
  transform(event: string, options?: JqOptions): string
}

/**
 * Compiles a program in the dialect of gojq: sorted keys, integers of any size, RE2 patterns, gojq's error texts.
 * A program reaches neither the environment nor files nor modules. Throws JqSyntaxError.
 */
export function compileJq(source: string): JqProgram {
  return new CompiledProgram(compileProgram(parse(source)))
}

class CompiledProgram implements JqProgram {
  readonly #node: Node

  constructor(node: Node) {
    this.#node = node
  }

  *run(input: JqValue, options: JqOptions = {}): Generator<JqValue, void> {
    const machine = new Machine(this.#node, input, options.now ?? (() => 0), options)
    for (let output = machine.next(); output !== undefined; output = machine.next()) yield output.value
  }

  transform(event: string, options: JqOptions = {}): string {
    const [output] = take(this.run(decodeFloats(event), options))
    if (output === undefined) throw new JqError('no output available from the jq command execution')
    if (!isObject(output)) throw new JqError('jq transformation output must be a JSON object')
    const text = encodeSafely(output)
    const { maxOutput = defaultMaxOutput } = options
    if (text.length > maxOutput) throw new JqLimitError(`the output has more than ${maxOutput} characters`)
    return text
  }
}

function take(outputs: Generator<JqValue, void>): JqValue[] {
  const first = outputs.next()
  return first.done === true ? [] : [first.value]
}

function encodeSafely(value: JqValue): string {
  try {
    return encode(value)
  } catch (error) {
    if (error instanceof RangeError) throw new JqLimitError('the output is nested too deep, or too long')
    throw error
  }
}
