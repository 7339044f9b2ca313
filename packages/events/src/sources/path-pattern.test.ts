import { describe, expect, it } from 'vitest'
import { pathPattern } from './path-pattern.ts'

describe('an endpoint', () => {
  it.each([
    ['/hook', '/hook', true],
    ['/hook', '/hook/1', false],
    ['/hook/{id}', '/hook/7', true],
    ['/hook/{id}', '/hook/a%20b', true],
    ['/hook/{id}', '/hook/', false],
    ['/hook/{id}', '/hook', false],
    ['/hook/{id}', '/hook/7/more', false],
    ['/hook/{id}', '/before/hook/7', false],
    ['/{team}/builds/{id:[0-9]+}', '/shop/builds/12', true],
    ['/{team}/builds/{id:[0-9]+}', '/shop/builds/latest', false],
    ['/at/{year:[0-9]{4}}-{rest:.*}', '/at/2026-11/17', true],
    ['/v1.0/{id}', '/v1x0/7', false],
    // Only braces make a variable.
    ['/hook/:id', '/hook/7', false],
    ['/hook/:id', '/hook/:id', true],
    ['/hook/{id}', '/hook/%ff', true],
  ])('%s serves %s: %s', (endpoint, path, isServed) => {
    expect(pathPattern(endpoint)(path)).toBe(isServed)
  })

  it.each([
    ['/hook/{id', 'a { is not closed'],
    ['/hook/id}', 'there is no { before the } at 9'],
    ['/hook/{}', '{} has no name'],
    ['/hook/{id:}', '{id:} has no pattern'],
    ['/hook/{id}/{id}', '{id} is there twice'],
    ['/hook/{id:(}', 'error parsing regexp'],
  ])('%s is refused: %s', (endpoint, why) => {
    expect(() => pathPattern(endpoint)).toThrow(why)
  })
})
