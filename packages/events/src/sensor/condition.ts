/** Which dependencies must have an event before a trigger fires: names, `&&`, `||` and parentheses. */
export type Condition = { type: 'dependency'; name: string } | { type: 'and' | 'or'; left: Condition; right: Condition }

/** A condition that cannot be read; the message says where. */
export class ConditionSyntaxError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ConditionSyntaxError'
  }
}

/** `&&` binds closer than `||`. As upstream does it, `-` and `_` in a name are the same to the reader; two dependencies that
 *  differ in nothing else cannot be told apart, which is an error. */
export function parseCondition(text: string, dependencies: readonly string[]): Condition {
  const tokens = tokenize(text)
  let at = 0
  const next = () => tokens[at]
  const operand = (): Condition => {
    const token = tokens[at++]
    if (token === undefined)
      throw new ConditionSyntaxError(`${JSON.stringify(text)} ends where a dependency is expected`)
    if (token === '(') {
      const inner = either()
      if (tokens[at++] !== ')') throw new ConditionSyntaxError(`a parenthesis in ${JSON.stringify(text)} is not closed`)
      return inner
    }
    if (/^\W/.test(token))
      throw new ConditionSyntaxError(`a dependency is expected before ${token} in ${JSON.stringify(text)}`)
    return { type: 'dependency', name: findDependency(token, dependencies) }
  }
  const chain = (type: 'and' | 'or', operator: string, part: () => Condition) => (): Condition => {
    let left = part()
    while (next() === operator) {
      at++
      left = { type, left, right: part() }
    }
    return left
  }
  const both = chain('and', '&&', operand)
  const either: () => Condition = chain('or', '||', both)
  const condition = either()
  if (at < tokens.length) throw new ConditionSyntaxError(`${tokens[at]} is not expected in ${JSON.stringify(text)}`)
  return condition
}

/** What holds without a condition: every dependency must have an event. */
export function allOf(dependencies: readonly string[]): Condition | undefined {
  const [first, ...rest] = dependencies.map((name): Condition => ({ type: 'dependency', name }))
  return first && rest.reduce((left, right): Condition => ({ type: 'and', left, right }), first)
}

export function isMet(condition: Condition, present: ReadonlySet<string>): boolean {
  switch (condition.type) {
    case 'dependency':
      return present.has(condition.name)
    case 'and':
      return isMet(condition.left, present) && isMet(condition.right, present)
    case 'or':
      return isMet(condition.left, present) || isMet(condition.right, present)
  }
}

export function dependenciesOf(condition: Condition): ReadonlySet<string> {
  if (condition.type === 'dependency') return new Set([condition.name])
  return new Set([...dependenciesOf(condition.left), ...dependenciesOf(condition.right)])
}

/** Whether one event alone can meet it: then events do not wait for each other. */
export function isMetByEach(condition: Condition): boolean {
  return [...dependenciesOf(condition)].every(name => isMet(condition, new Set([name])))
}

function tokenize(text: string): string[] {
  const tokens: string[] = []
  const pattern = /\s*(?:(&&|\|\||[()])|([\w-]+))/y
  while (pattern.lastIndex < text.length) {
    const from = pattern.lastIndex
    const match = pattern.exec(text)
    if (!match) {
      if (text.slice(from).trim() === '') break
      throw new ConditionSyntaxError(
        `${JSON.stringify(text)} cannot be read from ${JSON.stringify(text.slice(from))} on`,
      )
    }
    tokens.push((match[1] ?? match[2]) as string)
  }
  if (tokens.length === 0) throw new ConditionSyntaxError('a condition is empty')
  return tokens
}

function findDependency(name: string, dependencies: readonly string[]): string {
  const folded = name.replaceAll('-', '_')
  const [found, another] = dependencies.filter(dependency => dependency.replaceAll('-', '_') === folded)
  if (found === undefined) throw new ConditionSyntaxError(`there is no dependency ${JSON.stringify(name)}`)
  if (another !== undefined)
    throw new ConditionSyntaxError(`${found} and ${another} cannot be told apart in a condition: rename one of them`)
  return found
}

/** `a && (b || c): a has come, b and c have not` */
export function conditionState(condition: Condition, present: ReadonlySet<string>): string {
  const names = [...dependenciesOf(condition)]
  const listed = (chosen: readonly string[]) =>
    `${[chosen.slice(0, -1).join(', '), ...chosen.slice(-1)].filter(text => text !== '').join(' and ')} ${chosen.length === 1 ? 'has' : 'have'}`
  const come = names.filter(name => present.has(name))
  const missing = names.filter(name => !present.has(name))
  return `${conditionText(condition)}: ${come.length === 0 ? '' : `${listed(come)} come, `}${listed(missing)} not`
}

function conditionText(condition: Condition, isInside = false): string {
  if (condition.type === 'dependency') return condition.name
  const { type, left, right } = condition
  const text = [left, right]
    .map(part => conditionText(part, part.type !== 'dependency' && part.type !== type))
    .join(type === 'and' ? ' && ' : ' || ')
  return isInside && type === 'or' ? `(${text})` : text
}
