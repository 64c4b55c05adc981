import { type Cases, endpointsAt, seal } from '../rule-cases.ts'

const noHost = 'the URL does not parse or has no host'

export const cases: Cases = {
  'finds an address that is missing': {
    sees: endpointsAt('', null),
    finds: ['high e1/url: the URL is empty', 'high e2/url: the URL is empty'],
  },
  'finds an address with blanks': {
    sees: endpointsAt('https://a.example/a b', ' https://a.example/'),
    finds: ['high e1/url: the URL contains whitespace', 'high e2/url: the URL contains whitespace'],
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
  'finds a fragment': {
    sees: endpointsAt('https://a.example/in#top'),
    finds: ['high e1/url: the URL has a fragment, which is never sent'],
  },
  'leaves addresses alone that can be delivered to, templates and seals included': {
    sees: endpointsAt(
      'https://a.example/in?a=1',
      'http://10.0.0.1:8080',
      'https://{tenant}.a.example:{port}/{path}',
      `https://${seal('a')}@a.example/${seal('b')}?token=${seal('c')}`,
    ),
  },
}
