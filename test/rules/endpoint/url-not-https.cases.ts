import { anEndpoint, type Case, type Cases, endpoints } from '../rule-cases.ts'

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
  'says that a client certificate is not presented there': {
    sees: endpoints(
      { url: 'http://a.example/in', mtls_client_cert: { client_cert: 'pem' } },
      { url: 'https://a.example/in', mtls_client_cert: { client_cert: 'pem' } },
      { url: 'http://a.example/in', mtls_client_cert: null },
    ),
    finds: [
      'high e1/url: delivers to a.example over plain http, which presents no client certificate',
      'high e3/url: delivers to a.example over plain http',
    ],
  },
  'leaves https alone': silent('https://a.example/in'),
  'leaves https that mentions http alone': silent('https://a.example/?next=http://b.example'),
  'leaves other schemes to another rule': silent('ftp://a.example/in'),
  'is silent about what does not parse': silent('http://'),
}
