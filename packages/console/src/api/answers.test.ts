import { expect, it } from 'vitest'
import { answerSchemas } from '../testing/answer-schemas.ts'

it('the schemas of the answers are those of their types: after a change, vitest -u writes them anew', async () => {
  const text = `${JSON.stringify(answerSchemas(), null, 1)}\n`
  await expect(text).toMatchFileSnapshot('../../data/answers.json')
}, 120_000)
