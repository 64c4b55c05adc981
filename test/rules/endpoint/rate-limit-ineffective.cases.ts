import { anEndpoint, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds a limit without a duration': {
    sees: [anEndpoint({ rate_limit: 100, rate_limit_duration: 0 })],
    finds: ['high e1/rate_limit_duration: rate limit of 100 per 0 s limits nothing'],
  },
  'leaves a whole limit alone': { sees: [anEndpoint({ rate_limit: 100, rate_limit_duration: 60 })] },
  'leaves no limit at all to another rule': {
    sees: [0, 60].map((rate_limit_duration) =>
      anEndpoint({ rate_limit: 0, rate_limit_duration }, `e${rate_limit_duration}`),
    ),
  },
  'is silent where one of the two is not shown': { sees: [anEndpoint({ rate_limit: 100 })] },
  'is silent where one of the two is empty': { sees: [anEndpoint({ rate_limit: null, rate_limit_duration: 60 })] },
}
