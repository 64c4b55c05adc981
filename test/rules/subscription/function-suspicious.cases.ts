import { aSubscription, type Cases } from '../rule-cases.ts'

const body = (text: string, parameter = 'payload') =>
  aSubscription({ function: `function transform(${parameter}) { ${text}; return ${parameter} }` })
const suspicious = (what: string) => [`medium s1/function: ${what}`]
const logs = suspicious('logs the payload')

export const cases: Cases = {
  'finds a payload in the log': { sees: [body('console.log(payload)')], finds: logs },
  'finds it by another name': { sees: [body("console.error('got', p)", 'p')], finds: logs },
  'finds it turned into text': { sees: [body('console.info(JSON.stringify(payload))')], finds: logs },
  'finds it within a template': { sees: [body(['console.log(`got ', '{payload}`)'].join('$'))], finds: logs },
  'finds eval and the like': {
    sees: [body('eval(payload.code)'), body('new Function(payload.code)()')],
    finds: [...suspicious('runs text as code'), ...suspicious('runs text as code')],
  },
  'finds what the inventory sealed': {
    sees: [body(`const key = 'sealed:${'0'.repeat(32)}'`)],
    finds: suspicious('contains what looks like a credential'),
  },
  'finds a long text': {
    sees: [body('x'.repeat(70_000))],
    finds: suspicious('is 69 KB long (policy: at most 64 KB)'),
  },
  'measures by its option': {
    sees: [body('x'.repeat(2000))],
    options: { max_kilobytes: 1 },
    finds: suspicious('is 2 KB long (policy: at most 1 KB)'),
  },
  'reports all at once': {
    sees: [body('console.log(payload); eval(payload.code)')],
    finds: suspicious('runs text as code; logs the payload'),
  },
  'leaves members of the payload in the log alone': {
    sees: [body('console.log(payload.id, payload?.type, payload[0], items.payload)')],
  },
  'reads neither comments nor texts': {
    sees: [
      body("console.log('payload'); // console.log(payload)"),
      body('console.log(`payload`); /* eval(payload) */'),
      body(`return { event_type: "eval(x)", data: 'console.log(payload)' }`),
    ],
  },
  'leaves names that sound like it alone': {
    sees: [body('medieval(payload); isFunction(payload); scope.eval(payload); console.log(payloads)')],
  },
  'ends quickly for an unclosed text': {
    sees: ['/*', '`\\', '"\\', "'"].map((text) => body(`eval; console; ${text.repeat(20_000)}`)),
  },
  'is silent without a function': { sees: [aSubscription({ function: null })] },
}
