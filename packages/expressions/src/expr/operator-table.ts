/** How tightly operators bind; `**` and `^` bind to the right. */
export const binaryPrecedence: ReadonlyMap<string, number> = new Map([
  ['|', 0],
  ['or', 10],
  ['||', 10],
  ['and', 15],
  ['&&', 15],
  ['==', 20],
  ['!=', 20],
  ['<', 20],
  ['>', 20],
  ['>=', 20],
  ['<=', 20],
  ['in', 20],
  ['matches', 20],
  ['contains', 20],
  ['startsWith', 20],
  ['endsWith', 20],
  ['..', 25],
  ['+', 30],
  ['-', 30],
  ['*', 60],
  ['/', 60],
  ['%', 60],
  ['**', 100],
  ['^', 100],
  ['??', 500],
])

export const unaryPrecedence: ReadonlyMap<string, number> = new Map([
  ['not', 50],
  ['!', 50],
  ['-', 90],
  ['+', 90],
])

export const isRightAssociative = (operator: string) => operator === '**' || operator === '^'
export const isComparison = (operator: string) => /^[<>]=?$/.test(operator)
export const isNegatable = (operator: string) => /^(contains|matches|startsWith|endsWith|in)$/.test(operator)
