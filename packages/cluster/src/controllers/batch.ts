import type { Controller, ControllerContext } from './controller.ts'
import { createCronJobController } from './cron-job/cron-job-controller.ts'
import { createHorizontalPodAutoscalerController } from './horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts'
import { createJobController } from './job/job-controller.ts'

export const batchControllers: readonly ((context: ControllerContext) => Controller)[] = [
  createJobController,
  createCronJobController,
  context => createHorizontalPodAutoscalerController(context),
]
