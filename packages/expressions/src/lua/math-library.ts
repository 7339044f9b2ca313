import type { Library } from './arguments.ts'
import { modulo } from './operators.ts'
import type { LuaValue } from './value.ts'

const unary: { [name: string]: (value: number) => number } = {
  abs: Math.abs,
  acos: Math.acos,
  asin: Math.asin,
  atan: Math.atan,
  ceil: Math.ceil,
  cos: Math.cos,
  cosh: Math.cosh,
  deg: value => (value * 180) / Math.PI,
  exp: Math.exp,
  floor: Math.floor,
  log: Math.log,
  log10: Math.log10,
  rad: value => (value * Math.PI) / 180,
  sin: Math.sin,
  sinh: Math.sinh,
  sqrt: Math.sqrt,
  tan: Math.tan,
  tanh: Math.tanh,
}

const binary: { [name: string]: (left: number, right: number) => number } = {
  atan2: Math.atan2,
  fmod: (left, right) => left % right,
  mod: modulo,
  pow: (left, right) => (left === 1 ? 1 : left ** right),
}

function frexp(value: number): LuaValue[] {
  if (value === 0 || !Number.isFinite(value)) return [value, 0]
  let exponent = Math.max(-1023, Math.floor(Math.log2(Math.abs(value))) + 1)
  let fraction = value * 2 ** -exponent
  while (Math.abs(fraction) < 0.5) {
    fraction *= 2
    exponent--
  }
  while (Math.abs(fraction) >= 1) {
    fraction /= 2
    exponent++
  }
  return [fraction, exponent]
}

export const mathLibrary: Library = [
  ...Object.entries(unary).map(([name, apply]): Library[number] => [name, args => [apply(args.number(1))]]),
  ...Object.entries(binary).map(([name, apply]): Library[number] => [
    name,
    args => [apply(args.number(1), args.number(2))],
  ]),
  ['frexp', args => frexp(args.number(1))],
  ['ldexp', args => [args.number(1) * 2 ** args.integer(2)]],
  [
    'modf',
    args => {
      const value = args.number(1)
      const whole = Math.trunc(value)
      return [whole, Number.isFinite(value) ? value - whole : Number.NaN]
    },
  ],
  ...(['max', 'min'] as const).map((name): Library[number] => [
    name,
    (args, runtime) => {
      if (args.values.length === 0) throw runtime.error('wrong number of arguments')
      return [
        args.values
          .map((_value, at) => args.number(at + 1))
          .reduce((a, b) => ((name === 'max' ? b > a : b < a) ? b : a)),
      ]
    },
  ]),
  [
    'random',
    (args, runtime) => {
      const { random } = runtime.surroundings
      if (args.values.length === 0) return [random()]
      const [low, high] = args.values.length === 1 ? [1, args.integer(1)] : [args.integer(1), args.integer(2)]
      if (high < low) throw runtime.error('invalid argument to Intn')
      return [low + Math.floor(random() * (high - low + 1))]
    },
  ],
  [
    'randomseed',
    args => {
      args.integer(1)
      return []
    },
  ],
]
