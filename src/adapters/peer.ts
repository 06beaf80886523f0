export { loadPeer, type Peer } from '../values/waiting/peer.js';
