export { loadPeer, type PeerPackage } from '../values/waiting/peer.js';
