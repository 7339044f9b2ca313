import { describe, expect, it } from 'vitest'
import { unknownFields } from './parts/filter-bar.tsx'
import { GIVEN_VIEWS, readViews, viewPath, withView } from './saved-views.ts'

const view = (name: string, search = 'q=status:failed') => ({ list: 'runs' as const, name, search })

describe('saved views', () => {
  it('are read from whatever is there, and what is none is left out', () => {
    expect(readViews(null)).toEqual([])
    expect(readViews('nonsense')).toEqual([])
    expect(readViews('{"a":1}')).toEqual([])
    expect(readViews(JSON.stringify([view('mine'), null, { list: 1 }, { ...view('x'), name: '' }]))).toEqual([
      view('mine'),
    ])
  })

  it('have one of a name in a list', () => {
    const views = withView(withView([], view('mine')), view('mine', 'q=status:running'))
    expect(views).toEqual([view('mine', 'q=status:running')])
    expect(views.map(view => viewPath(view, ''))).toEqual(['/runs?q=status:running'])
    expect(views.map(view => viewPath(view, 'shop'))).toEqual(['/runs?q=status:running&ns=shop'])
    expect(viewPath({ list: 'runs', name: 'all', search: '' }, 'shop')).toBe('/runs?ns=shop')
  })

  it('that everybody has name only fields that their list has', () => {
    for (const { list, search } of GIVEN_VIEWS)
      expect([search, unknownFields(list, new URLSearchParams(search).get('q') ?? '')]).toEqual([search, []])
  })
})
