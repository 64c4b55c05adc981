import { anEndpoint, type Cases, endpoints, masked, seal } from '../rule-cases.ts'

const sending = (uid: string, host: string, header_value: string, project = 'p') =>
  anEndpoint(
    { url: `https://${host}/in`, authentication: { type: 'api_key', api_key: { header_value } } },
    uid,
    project,
  )
const finding = (uid: string, where = '2 hosts') =>
  `medium ${uid}/authentication/api_key/header_value: the same credential is sent to ${where}`

export const cases: Cases = {
  'finds a key that goes to two hosts, and reports each endpoint': {
    sees: [sending('e1', 'a.example', seal('a')), sending('e2', 'b.example', seal('a'))],
    finds: [finding('e1'), finding('e2')],
  },
  'finds a key that goes to two hosts from two projects': {
    sees: [sending('e1', 'a.example', seal('a')), sending('e2', 'b.example', seal('a'), 'q')],
    finds: [finding('e1', 'other hosts in other projects'), finding('e2', 'other hosts in other projects')],
  },
  'counts the hosts of its own project alone': {
    sees: [
      sending('e1', 'a.example', seal('a')),
      sending('e2', 'b.example', seal('a')),
      sending('e3', 'a.example', seal('a'), 'q'),
      sending('e4', 'c.example', seal('a'), 'r'),
    ],
    finds: [
      finding('e1', '2 hosts, and to other hosts in other projects'),
      finding('e2', '2 hosts, and to other hosts in other projects'),
      finding('e3', 'other hosts in other projects'),
      finding('e4', 'other hosts in other projects'),
    ],
  },
  'leaves a key that goes to one host alone': {
    sees: [sending('e1', 'a.example', seal('a')), sending('e2', 'A.example', seal('a'))],
  },
  'leaves different keys alone': {
    sees: [sending('e1', 'a.example', seal('a')), sending('e2', 'b.example', seal('b'))],
  },
  'leaves a key alone that no type asks for: it is not sent': {
    sees: [
      sending('e1', 'a.example', seal('a')),
      anEndpoint(
        { url: 'https://b.example/', authentication: { type: 'oauth2', api_key: { header_value: seal('a') } } },
        'e2',
      ),
    ],
  },
  'never compares what the service masks': {
    sees: [sending('e1', 'a.example', masked), sending('e2', 'b.example', masked)],
  },
  'leaves an OAuth client alone: its secret goes to one token server': {
    sees: endpoints(
      ...['a', 'b'].map((host) => ({
        url: `https://${host}.example/`,
        authentication: {
          type: 'oauth2',
          oauth2: { url: 'https://idp.example/token', client_secret: seal('a') },
        },
      })),
    ),
  },
  'is silent where nothing is shown': { sees: endpoints({}, {}) },
  'is silent where the address does not parse': {
    sees: [sending('e1', 'a b', seal('a')), sending('e2', 'b.example', seal('a'))],
  },
}
