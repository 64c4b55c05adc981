import { aSubscription, type Cases } from '../rule-cases.ts'

const sees = [aSubscription({ type: 'cli', device_uid: 'd1' })]

export const cases: Cases = {
  'finds a command line in a project of another environment': {
    sees,
    labels: { env: 'prod' },
    finds: ['low s1/type: CLI subscription in a project with label env "prod" (policy: dev, development, test)'],
  },
  'leaves it alone where people develop and test': { sees, labels: { env: 'Dev' } },
  'knows the environments that its option names, and no others': {
    sees,
    labels: { env: 'dev' },
    options: { environments: ['sandbox'] },
    finds: ['low s1/type: CLI subscription in a project with label env "dev" (policy: sandbox)'],
  },
  'takes environments in any case': { sees, labels: { env: 'QA' }, options: { environments: ['QA'] } },
  'leaves other subscriptions alone': {
    sees: [aSubscription({ type: 'api' }), aSubscription({ type: null })],
    labels: { env: 'prod' },
  },
  'is silent where the project has no such label': { sees, labels: { team: 'payments' } },
}
