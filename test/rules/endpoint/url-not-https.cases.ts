import { anEndpoint, type Case, type Cases } from '../rule-cases.ts'

const found = (url: string, host: string): Case => ({
  sees: [anEndpoint({ url })],
  finds: [`high e1/url: delivers to ${host} over plain http`],
})
const silent = (url: string): Case => ({ sees: [anEndpoint({ url })] })

export const cases: Cases = {
  'finds plain http': found('http://a.example/in', 'a.example'),
  'finds it in any case, with port and blanks': found(' HTTP://A.example:8080/in', 'a.example'),
  'finds it on an address': found('http://203.0.113.7/', '203.0.113.7'),
  'finds it where part of the address is a template': found('http://{tenant}.a.example/{path}', 'x.a.example'),
  'leaves https alone': silent('https://a.example/in'),
  'leaves https that mentions http alone': silent('https://a.example/?next=http://b.example'),
  'leaves other schemes to another rule': silent('ftp://a.example/in'),
  'is silent about what does not parse': silent('http://'),
}
