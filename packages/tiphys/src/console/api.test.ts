import { afterAll, beforeAll } from 'vitest'
import { answerCases } from './answer-cases.ts'
import { callerCases } from './caller-cases.ts'
import { liveCases } from './live-cases.ts'
import { requestCases } from './request-cases.ts'
import { ConsoleStage } from './stage.ts'
import { startCases } from './start-cases.ts'

// One scene for all of them: it takes longer to set up than most of them take.
const stage = new ConsoleStage()
beforeAll(() => stage.open(), 60_000)
afterAll(() => stage.close())

callerCases(stage)
liveCases(stage)
answerCases(stage)
requestCases(stage)
startCases(stage)
