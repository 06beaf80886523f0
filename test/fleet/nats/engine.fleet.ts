import { engineContract } from '../contract.js';
import { natsGround } from './server.js';

engineContract('on NATS', natsGround);
