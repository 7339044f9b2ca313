import { describe, expect, it } from 'vitest'
import { yamlTokens } from './yaml-tokens.ts'

const kinds = (line: string) => yamlTokens(line).map(({ text, kind }) => `${kind}:${text}`)

describe('a line of YAML', () => {
  it('is cut into key, mark and value', () => {
    expect(kinds('  replicas: 3')).toEqual(['plain:  ', 'key:replicas', 'mark::', 'plain: ', 'number:3'])
    expect(kinds('- name: "a: b" # why')).toEqual([
      'mark:- ',
      'key:name',
      'mark::',
      'plain: ',
      'string:"a: b"',
      'comment: # why',
    ])
    expect(kinds('image: memcached:1.6')).toEqual(['key:image', 'mark::', 'plain: ', 'plain:memcached:1.6'])
    expect(kinds('source: |')).toEqual(['key:source', 'mark::', 'plain: ', 'mark:|'])
    expect(kinds('# all of it')).toEqual(['comment:# all of it'])
  })

  it('is whole again when its pieces are put together, whatever it is', () => {
    const lines = [
      '',
      '  ',
      '-',
      '- - a',
      '{a: 1, b: [x]}',
      '"k": v',
      'http://a#b',
      "'it''s': true",
      'a:b:c',
      '\t- x: #',
    ]
    for (const line of lines)
      expect(
        yamlTokens(line)
          .map(({ text }) => text)
          .join(''),
      ).toBe(line)
  })
})
