import { type Cases, endpointsAt, seal } from '../rule-cases.ts'

const noHost = 'the URL does not parse or has no host'

export const cases: Cases = {
  'finds an address that is missing': {
    sees: endpointsAt('', null),
    finds: ['high e1/url: the URL is empty', 'high e2/url: the URL is empty'],
  },
  'finds an address with blanks': {
    sees: endpointsAt(
      'https://a.example/a?b=c d',
      ' https://a.example/',
      'https://a.example/a\tb',
      'https://a .example/',
    ),
    finds: ['e1', 'e2', 'e3', 'e4'].map((uid) => `high ${uid}/url: the URL contains whitespace`),
  },
  'finds an address that does not parse or has no host': {
    sees: endpointsAt(
      'a.example/in',
      'https:a.example',
      'https:///in',
      'https://a.example:99999/',
      'mailto:a@a.example',
    ),
    finds: ['e1', 'e2', 'e3', 'e4', 'e5'].map((uid) => `high ${uid}/url: ${noHost}`),
  },
  'finds a scheme that is not https': {
    sees: endpointsAt('ftp://a.example/in'),
    finds: ['high e1/url: the scheme is ftp, expected https'],
  },
  'finds a brace in the host': {
    sees: endpointsAt('https://{tenant}.a.example/in', 'https://a.example:{port}/in'),
    finds: ['e1', 'e2'].map((uid) => `high ${uid}/url: the URL has a brace in its host, where no template may be`),
  },
  'leaves addresses alone that can be delivered to, templates and seals included': {
    sees: endpointsAt(
      'https://a.example/in?a=1',
      'http://10.0.0.1:8080',
      'https://a.example:8443/{path}',
      'https://a.example/in#top',
      'https://a.example/in order',
      `https://${seal('a')}@a.example/${seal('b')}?token=${seal('c')}`,
    ),
  },
}
